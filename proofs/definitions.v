(* Every definition on which the statements in statements.v rest, next to the *)
(* formula it stands for. Nothing else has to be read to know what is proved. *)
(*                                                                            *)
(* R is an ordered field, or a real closed field where a square root occurs;  *)
(* the real numbers are an example of both. n%:R is the number n as an        *)
(* element of R, a ^+ 2 a square, a ^-1 an inverse, f =1 g says that f and g  *)
(* agree everywhere, [set j | P j] is the set of all j with P, #|A| the       *)
(* number of elements of A, and 'I_n is {0, ..., n-1}, which numbers n        *)
(* coordinates, neurons or points. A %N marks natural numbers.                *)

From mathcomp Require Import all_ssreflect ssralg ssrnum.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(* ---- The cube ------------------------------------------------------------ *)

(* {-1,1}^I: a point says for each coordinate whether it is -1.               *)
(* In the book I = {1, ..., n}, here 'I_n.                                    *)
Notation cube I := {ffun I -> bool}.

Section Cube.

Variables (R : realFieldType) (I : finType).
Implicit Types (x z : cube I) (i : I) (f : cube I -> R) (T : {set I}) (w : I -> R).

(* x_i, which is -1 or 1. So coord R x is x as a vector of numbers.           *)
Definition coord x i : R := (-1) ^+ x i.

(* x^(+i): the point x with coordinate i flipped.                             *)
Definition flip x i : cube I := [ffun l => x l (+) (l == i)].

(* x_(i->a): the point x with the number a in place of x_i. For -1 <= a <= 1  *)
(* it lies on the edge of the cube from x in direction i.                     *)
Definition on_edge x i (a : R) : I -> R := fun l => if l == i then a else coord x l.

(* x with all coordinates flipped at which z is -1: (z_1 x_1, ..., z_n x_n).  *)
Definition times x z : cube I := [ffun l => x l (+) z l].

(* E_x f(x), x uniform on the cube, and Pr_x[P(x)].                           *)
Definition mean f : R := (\sum_x f x) / #|{: cube I}|%:R.
Definition probability (P : pred (cube I)) : R := mean (fun x => (P x)%:R).

(* |w|^2 = sum_i w_i^2 and |w|_1 = sum_i |w_i|.                               *)
Definition sqnorm w : R := \sum_i w i ^+ 2.
Definition norm1 w : R := \sum_i `|w i|.

(* chi_T(x) = prod_(i in T) x_i, and fhat(T) = E_x[f(x) chi_T(x)].            *)
Definition character T x : R := \prod_(i in T) coord x i.
Definition fourier f T : R := mean (fun x => f x * character T x).

(* The weight above degree d: sum_(|T| > d) fhat(T)^2.                        *)
Definition tail f (d : nat) : R := \sum_(T : {set I} | (d < #|T|)%N) fourier f T ^+ 2.

(* AS(f) = E_x[1/4 sum_i (f(x) - f(x^(+i)))^2].                               *)
Definition sensitivity f x : R := \sum_i (f x - f (flip x i)) ^+ 2 / 4.
Definition average_sensitivity f : R := mean (sensitivity f).

(* D_i f(x), half of f at x_i = 1 less f at x_i = -1; and Cov(f, g), so that  *)
(* covariance f f is the variance of f.                                       *)
Definition difference f i x : R := coord x i * (f x - f (flip x i)) / 2.
Definition covariance f (g : cube I -> R) : R := mean (fun x => f x * g x) - mean f * mean g.

(* NS_rho(f) = E_(x,y)[1/4 (f(x) - f(y))^2], where y = times x z and each     *)
(* coordinate is flipped (z_i = -1) with probability (1 - rho)/2.             *)
Definition noise (rho : R) z : R :=
  \prod_i (if z i then (1 - rho) / 2 else (1 + rho) / 2).
Definition noise_sensitivity (rho : R) f : R :=
  mean (fun x => \sum_z noise rho z * ((f x - f (times x z)) ^+ 2 / 4)).

(* The lift x(y) of y: x(y)_ii = y_i, and x(y)_ij = y_i y_j for i != j.       *)
Definition lifted x : cube (I * I) :=
  [ffun ij => if ij.1 == ij.2 then x ij.1 else x ij.1 (+) x ij.2].

(* The number of minus signs of x in T.                                       *)
Definition minus_signs T x : nat := #|[set i in T | x i]|.

End Cube.

(* ---- Networks ------------------------------------------------------------ *)

(* h(x) = sum_j u_j relu(<w_j, x> - b_j), with coordinates i in I, neurons    *)
(* j in J. A network in the book has I = 'I_n and J = 'I_s.                   *)
Record network (R : realFieldType) (I J : Type) := Network {
  outer : J -> R;        (* u_j *)
  weight : J -> I -> R;  (* w_j *)
  bias : J -> R          (* b_j *)
}.

(* relu(z) = max(z, 0).                                                       *)
Definition relu (R : realFieldType) (z : R) : R := Num.max z 0.

Section Network.

Variables (R : realFieldType) (I J : finType).
Implicit Types (N : network R I J) (j : J) (A : {set J}).
Implicit Types (p : I -> R) (x : cube I) (i : I) (k m : nat) (W B : R).

(* <w_j, p> - b_j, at any vector p of numbers.                                *)
Definition preactivation N j p := \sum_i weight N j i * p i - bias N j.

(* sum_j u_j phi(<w_j, p> - b_j) for any phi; h(p) for phi = relu; and h(x)   *)
(* at a point x of the cube.                                                  *)
Definition value_with (phi : R -> R) N p := \sum_j outer N j * phi (preactivation N j p).
Definition value_at N p := value_with (@relu R) N p.
Definition value N x := value_at N (coord R x).

(* R_p, the set of neurons j with <w_j, p> - b_j > 0, strictly.               *)
Definition active_at N p := [set j | 0 < preactivation N j p].
Definition active N x := active_at N (coord R x).

(* Definition 1: at most k neurons are active at each of the given points     *)
(* (points t, for t in any set T); in particular on the cube.                 *)
Definition sparse_on (T : Type) (points : T -> I -> R) k N :=
  forall t, (#|active_at N (points t)| <= k)%N.
Definition sparse k N := sparse_on (@coord R I) k N.

(* Definition 2: max_j |u_j| max_l |w_l| <= W and max_j |u_j| max_l |b_l| <= B *)
(* (the first squared, so that no root is needed).                            *)
Definition scale_at_most W B N :=
  [/\ 0 <= W, forall j l, outer N j ^+ 2 * sqnorm (weight N l) <= W ^+ 2
    & forall j l, `|outer N j| * `|bias N l| <= B].

(* N is in H^(W,B)_(n,s,k), n = #|I| and s = #|J|.                            *)
Definition in_class k W B N := sparse k N /\ scale_at_most W B N.

(* The linear piece of a set A of neurons: w^A = sum_(j in A) u_j w_j and     *)
(* b^A = sum_(j in A) u_j b_j.                                                *)
Definition piece_weight N A i := \sum_(j in A) outer N j * weight N j i.
Definition piece_bias N A := \sum_(j in A) outer N j * bias N j.

(* (U), (V): the parts of AS(h) in which x and x^(+i) have the same active    *)
(* set, or different ones.                                                    *)
Definition part_U N : R :=
  mean (fun x => \sum_(i | active N (flip x i) == active N x)
                   (value N x - value N (flip x i)) ^+ 2 / 4).
Definition part_V N : R :=
  mean (fun x => \sum_(i | active N (flip x i) != active N x)
                   (value N x - value N (flip x i)) ^+ 2 / 4).

(* The neurons that are active at exactly one of x and x^(+i).                *)
Definition changed N x i :=
  (active N x :\: active N (flip x i)) :|: (active N (flip x i) :\: active N x).

(* -1 = t_0 <= ... <= t_m = 1 cut the edge of x in direction i into pieces on *)
(* which no pre-activation changes its sign: it is affine on the edge, and at *)
(* the ends of a piece not of opposite signs. So d_i h is constant within a   *)
(* piece, and slope_square = 1/2 int_(-1)^1 (d_i h(x_(i->a)))^2 da is a sum   *)
(* over the pieces, with the derivative in the middle of each.                *)
Definition cuts N x i m (t : nat -> R) :=
  [/\ t 0%N = -1, t m = 1, forall l, (l < m)%N -> t l <= t l.+1
    & forall l j, (l < m)%N -> 0 <= preactivation N j (on_edge x i (t l))
                                    * preactivation N j (on_edge x i (t l.+1))].
Definition slope_square N x i m (t : nat -> R) :=
  \sum_(l < m) (t l.+1 - t l) / 2
    * piece_weight N (active_at N (on_edge x i ((t l + t l.+1) / 2))) i ^+ 2.

(* A is a set of k neurons with the largest c_j.                              *)
Definition are_largest k (c : J -> R) A :=
  #|A| = k /\ forall j l, j \in A -> l \notin A -> c l <= c j.

End Network.

(* ---- Several layers ------------------------------------------------------ *)

(* y^D(p): y^0 = p and y^(l+1)_j = relu(<w^l_j, y^l> - b^l_j). Layer l has    *)
(* width l neurons; the inputs are layer 0.                                   *)
Fixpoint layer (R : realFieldType) (width : nat -> nat)
    (w : forall l, 'I_(width l.+1) -> 'I_(width l) -> R) (b : forall l, 'I_(width l.+1) -> R)
    (D : nat) (p : 'I_(width 0%N) -> R) : 'I_(width D) -> R :=
  match D with
  | 0%N => p
  | l.+1 => fun j => relu (\sum_i w l j i * layer w b p i - b l j)
  end.

Section Layers.

Variables (R : realFieldType) (width : nat -> nat).
Variable w : forall l, 'I_(width l.+1) -> 'I_(width l) -> R.
Variable b : forall l, 'I_(width l.+1) -> R.
Implicit Types (l D : nat) (p q : 'I_(width 0%N) -> R).

(* z^(l+1)_j(p); the active neurons of layer l+1 at p; and those of its       *)
(* neurons that are active at exactly one of p and q.                         *)
Definition layer_preactivation l p (j : 'I_(width l.+1)) : R :=
  \sum_i w j i * layer w b p i - b j.
Definition layer_active l p : {set 'I_(width l.+1)} := [set j | 0 < layer_preactivation p j].
Definition layer_changed l p q :=
  (layer_active l p :\: layer_active l q) :|: (layer_active l q :\: layer_active l p).

(* g^l_j is the derivative at p of h = sum_j u_j y^D_j by y^l_j: g^D = u, and *)
(* g^l_i = sum of g^(l+1)_j w^(l+1)_ji over the active neurons j of layer l+1.*)
(* So g^0 is the gradient of h.                                               *)
Definition derivatives D (u : 'I_(width D) -> R) p (g : forall l, 'I_(width l) -> R) :=
  (forall j, g D j = u j) /\
  forall l i, (l < D)%N -> g l i = \sum_(j in layer_active l p) g l.+1 j * w j i.

End Layers.

(* ---- Product laws -------------------------------------------------------- *)

(* Independent coordinates: atom a of coordinate i has probability p i a. A   *)
(* point is a choice of one atom for each coordinate.                         *)
Section ProductLaw.

Variables (R : realFieldType) (I A : finType) (p : I -> A -> R).
Implicit Types (x : {ffun I -> A}) (i : I) (a : A) (F : {ffun I -> A} -> R).

(* p_i(a) >= 0 and sum_a p_i(a) = 1 for each i.                               *)
Definition is_law := forall i, (forall a, 0 <= p i a) /\ \sum_a p i a = 1.

Definition product_law x : R := \prod_i p i (x i).
Definition expectation F : R := \sum_x product_law x * F x.

(* x with atom a in place of its atom at i, and the variance of F in          *)
(* coordinate i alone: Var_i F(x) = E_a F^2 - (E_a F)^2.                      *)
Definition replace x i a : {ffun I -> A} := [ffun l => if l == i then a else x l].
Definition variance F i x : R :=
  \sum_a p i a * F (replace x i a) ^+ 2 - (\sum_a p i a * F (replace x i a)) ^+ 2.

(* The Efron-Stein influence I(F) = sum_i E Var_i F.                          *)
Definition influence F : R := \sum_i expectation (variance F i).

(* x with the coordinates in S taken from y.                                  *)
Definition mix (S : {set I}) x (y : {ffun I -> A}) : {ffun I -> A} :=
  [ffun i => if i \in S then y i else x i].

(* E[F | the coordinates in K], and the term F_T of the ANOVA decomposition:  *)
(* F_T = sum_(K in T) (-1)^|T \ K| E[F | the coordinates in K].               *)
Definition given F (K : {set I}) x : R := expectation (fun y => F (mix (~: K) x y)).
Definition term F (T : {set I}) x : R :=
  \sum_(K : {set I} | K \subset T) (-1) ^+ #|T| * (-1) ^+ #|K| * given F K x.

(* sigma_T^2 = E F_T^2, and W = sum_(|T| > 1) sigma_T^2.                      *)
Definition term_variance F (T : {set I}) : R := expectation (fun x => term F T x ^+ 2).
Definition interactions F : R := \sum_(T : {set I} | (1 < #|T|)%N) term_variance F T.

(* A sum of functions of single coordinates.                                  *)
Definition additive_sum (a : I -> A -> R) (c : R) x : R := c + \sum_i a i (x i).

End ProductLaw.

(* ---- Learning by averages ------------------------------------------------ *)

Section Learner.

Variables (R : realFieldType) (I : finType) (d r m : nat).
Implicit Types (T : {set I}) (c e : {set I} -> R) (x : cube I) (eps : R).

(* sum_(|T| <= d) c_T chi_T(x).                                               *)
Definition polynomial c x : R := \sum_(T : {set I} | (#|T| <= d)%N) c T * character R T x.

(* From m samples (x_i, y_i): c_T = 1/m sum_i y_i chi_T(x_i); and the         *)
(* polynomial of degree d with these coefficients.                            *)
Definition estimate (xs : 'I_m -> cube I) (ys : 'I_m -> R) T : R :=
  (\sum_i ys i * character R T (xs i)) / m%:R.
Definition learn xs ys : cube I -> R := polynomial (estimate xs ys).

(* |c - e|^2 over the sets of at most d elements. Of r families c_1, ..., c_r *)
(* c_a is central if more than half of the c_b are within 4 eps of it; a      *)
(* central one is selected (0 if there is none).                              *)
Definition distance c e : R := \sum_(T : {set I} | (#|T| <= d)%N) (c T - e T) ^+ 2.
Definition central eps (cs : 'I_r -> {set I} -> R) (a : 'I_r) : bool :=
  (r < 2 * #|[set b | (distance (cs a) (cs b) <= 4 * eps)%R]|)%N.
Definition select eps (cs : 'I_r -> {set I} -> R) : {set I} -> R :=
  if [pick a | central eps cs a] is Some a then cs a else fun=> 0.

End Learner.

(* From r batches of m samples: each is averaged, one of the r polynomials is *)
(* selected.                                                                  *)
Definition learn_selected (R : realFieldType) (I : finType) (d r m : nat) (eps : R)
    (xs : 'I_r -> 'I_m -> cube I) (ys : 'I_r -> 'I_m -> R) : cube I -> R :=
  polynomial d (select d eps (fun b => estimate (xs b) (ys b))).

(* A sample is an outcome o of a finite set, with probability p o; its point  *)
(* is X o, its label Y o.                                                     *)
Section Samples.

Variables (R : realFieldType) (I Omega : finType) (p : Omega -> R).
Variables (X : Omega -> cube I) (Y : Omega -> R).

(* p is a distribution under which X is uniform on the cube.                  *)
Definition uniform_marginal :=
  (forall o, 0 <= p o) /\ forall x, \sum_(o | X o == x) p o = #|{: cube I}|%:R^-1.

(* The risk E (Y - g(X))^2 of a function g.                                   *)
Definition risk (g : cube I -> R) : R := \sum_o p o * (Y o - g (X o)) ^+ 2.

End Samples.

(* ---- PAC learning -------------------------------------------------------- *)

(* The learner gets m samples (x, h(x)) and tosses coins, c with probability  *)
(* coin c; h is in the class H, and x = X o with probability p o, o in a      *)
(* finite set. For all h, p and X its function g has the loss                 *)
(* E (h(x) - g(x))^2/2 > eps with probability at most delta.                  *)
Definition pac_learns (R : realFieldType) (T : Type) (H : (T -> R) -> Prop) (m : nat)
    (eps delta : R) (Coins : finType) (coin : Coins -> R)
    (learner : Coins -> seq (T * R) -> T -> R) :=
  forall (Omega : finType) (p : Omega -> R) (X : Omega -> T) (h : T -> R),
    (forall o, 0 <= p o) -> \sum_o p o = 1 -> H h ->
  let g c (S : {ffun 'I_m -> Omega}) := learner c [seq (X (S i), h (X (S i))) | i : 'I_m] in
  \sum_c coin c * (\sum_(S | eps < \sum_o p o * ((h (X o) - g c S (X o)) ^+ 2 / 2))
                     \prod_i p (S i)) <= delta.

(* ---- Rademacher complexity ----------------------------------------------- *)

(* v = sup of F(t) over all t with P(t): the least upper bound.               *)
Definition is_sup (R : realFieldType) (T : Type) (P : T -> Prop) (F : T -> R) (v : R) :=
  (forall t, P t -> F t <= v) /\ (forall v', (forall t, P t -> F t <= v') -> v <= v').

(* R_H(S) = E_zeta sup_(h in H) 1/m sum_i zeta_i h(x_i) is r, for the class   *)
(* H = H^(W,B)_(n,s,k) of networks that are k-sparse on the m points x_i of S. *)
Definition rademacher_is (R : realFieldType) (n s k m : nat) (W B : R)
    (x : 'I_m -> 'I_n -> R) (r : R) :=
  exists sup : cube 'I_m -> R,
    (forall zeta, is_sup (fun N : network R 'I_n 'I_s => sparse_on x k N /\ scale_at_most W B N)
       (fun N => (\sum_i coord R zeta i * value_at N (x i)) / m%:R) (sup zeta))
    /\ r = mean sup.

(* ---- The perceptron ------------------------------------------------------ *)

Section Perceptron.

Variables (R : realFieldType) (n m : nat) (x : 'I_m -> 'I_n -> R) (b : R).
Implicit Types (w : 'I_n -> R) (word : seq ('I_m * R)) (i : 'I_m).

(* A letter (i, e) is a point x_i with a signed scale e. The letters of a     *)
(* word add up to v = sum of (e/b^2) x_i; then <w - v, x_i> is the gap at x_i. *)
Definition combination word : 'I_n -> R := fun a => \sum_(l <- word) l.2 / b ^+ 2 * x l.1 a.
Definition gap w word i : R := \sum_a (w a - combination word a) * x i a.

(* Each letter (i, e) of the word is a step of the perceptron: where it is    *)
(* added, the gap at x_i has the sign of e, and is more than |e| in size.     *)
Definition is_run w word :=
  forall before l after, word = before ++ l :: after -> l.2 ^+ 2 < l.2 * gap w before l.1.

End Perceptron.

(* ---- Learning with rounding ---------------------------------------------- *)

(* <w, y> over the integers, for w and y with m entries in 0, ..., q - 1.     *)
Definition inner (q m : nat) (w y : 'I_m -> 'I_q) : nat := (\sum_(i < m) w i * y i)%N.

(* The l = ceil(log_2 q) binary digits of each y_i, as signs: digit 1 is -1.  *)
Definition length q := up_log 2 q.
Definition digits (q m : nat) (y : 'I_m -> 'I_q) : cube ('I_m * 'I_(length q)) :=
  [ffun ib : 'I_m * 'I_(length q) => odd (y ib.1 %/ 2 ^ ib.2)].
