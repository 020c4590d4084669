(* The statements of the ledger that are proved: one theorem for each entry,  *)
(* whose name is the id with _ for -. They use the definitions of             *)
(* definitions.v and nothing else; the proofs are in the other files.         *)
(* In all of them h is [value N] for a network N with n inputs and s neurons. *)

From mathcomp Require Import all_ssreflect ssralg ssrnum ssrint intdiv.
From SparseNetworks Require Import compat definitions.
From SparseNetworks Require cube fourier average_sensitivity sparse_networks nonnegative pieces.
From SparseNetworks Require lookups juntas suprema tents parity rounding product_laws dense depth.
From SparseNetworks Require gradient edges learning guarantees selection layers signs.
From SparseNetworks Require inference halfspaces zigzag parity_class rademacher two_points three_points
  top_one.
From SparseNetworks Require exceptions steepest moments sharp differences covariance blocks perceptron exchange.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(* ==== Chapter 1 =========================================================== *)

Theorem fourier_expansion (R : realFieldType) (n : nat) (f : cube 'I_n -> R) :
  (forall x, f x = \sum_T fourier f T * character R T x) /\
  (forall c, (forall x, f x = \sum_T c T * character R T x) -> fourier f =1 c).
Proof. by split=> [x | c]; [apply: fourier.fourier_inversion | apply: fourier.fourier_unique]. Qed.

Theorem claim_2_1_parseval (R : realFieldType) (n : nat) (f : cube 'I_n -> R) :
  mean (fun x => f x ^+ 2) = \sum_T fourier f T ^+ 2.
Proof. exact: fourier.Parseval. Qed.

Theorem claim_2_1_noise (R : realFieldType) (n : nat) (f : cube 'I_n -> R) (rho : R) :
    -1 <= rho <= 1 ->
  noise_sensitivity rho f
  = \sum_(T : {set 'I_n}) (1 - rho ^+ #|T|) / 2 * fourier f T ^+ 2.
Proof. by move=> _; apply: fourier.noise_sensitivity_fourier. Qed.

Theorem claim_2_1_tail (R : realFieldType) (n d : nat) (f : cube 'I_n -> R) (rho : R) :
    0 <= rho < 1 -> (1 <= d)%N ->
  tail f d <= 2 * noise_sensitivity rho f / (1 - rho ^+ d).
Proof. by move=> range d_gt0; apply: fourier.tail_le_noise. Qed.

(* For rho < 0 the bound can fail: rho = - 1/2, f = x_1 x_2.                  *)
Theorem E9 (R : realFieldType) : exists (f : cube 'I_2 -> R) (rho : R),
  -1 <= rho < 1 /\ ~ (tail f 1 <= 2 * noise_sensitivity rho f / (1 - rho ^+ 1)).
Proof. exact: suprema.witness_E9. Qed.

(* x i says that x_i = -1, and then the flip of x_i raises x_i to 1.          *)
Theorem E10 (R : realFieldType) (n : nat) (g : cube 'I_n -> bool) :
    (forall (x : cube 'I_n) i, x i -> g x -> g (flip x i)) ->
  average_sensitivity (fun x => (g x)%:R : R)
  = 2^-1 * mean (fun x => (g x)%:R * \sum_i coord R x i).
Proof. exact: pieces.monotone_indicator. Qed.

Theorem average_sensitivity_fourier (R : realFieldType) (n : nat) (f : cube 'I_n -> R) :
  average_sensitivity f = \sum_(T : {set 'I_n}) #|T|%:R * fourier f T ^+ 2.
Proof. exact: fourier.average_sensitivity_fourier. Qed.

(* From r batches of m uniform samples, labelled by h: all but a share 2^-r   *)
(* of the samples give |h - g|^2 <= 10 eps for the polynomial g that is       *)
(* learned. In the book r = log_2(1/delta), C the range.                      *)
Theorem lemma_7 (R : realFieldType) (n m d r : nat) (h : cube 'I_n -> R) (C eps : R) :
    0 < eps -> (0 < m)%N -> tail h d <= eps -> (forall x, `|h x| <= C) ->
    16 * C ^+ 2 * (\sum_(l < d.+1) 'C(n, l))%:R <= eps * m%:R ->
  let g (S : {ffun 'I_r -> {ffun 'I_m -> cube 'I_n}}) :=
    learn_selected d eps (fun b i => S b i) (fun b i => h (S b i)) in
  #|[set S | 10 * eps < mean (fun x => (h x - g S x) ^+ 2)]|%:R
  <= 2^-1 ^+ r * #|{: {ffun 'I_r -> {ffun 'I_m -> cube 'I_n}}}|%:R :> R.
Proof.
move=> eps0 m0 small range size; apply: (selection.selected_learning r m0 eps0 small).
apply: le_trans size; rewrite mulrA [leRHS]mulrAC ler_wpM2l ?mulr_ge0 ?ler0n //.
by apply: cube.mean_le_const => x; apply: cube.ler_norm_sqr.
Qed.

(* m samples (x, f(x) + e(a)): x uniform, a independent with probability q a. *)
Theorem ours_averaging_risk (R : realFieldType) (n m d : nat) (f : cube 'I_n -> R)
    (A : finType) (q e : A -> R) : (0 < m)%N ->
    (forall a, 0 <= q a) -> \sum_a q a = 1 -> \sum_a q a * e a = 0 ->
  let D : R := (\sum_(l < d.+1) 'C(n, l))%:R in
  let p (o : cube 'I_n * A) := q o.2 / #|{: cube 'I_n}|%:R in
  let g (S : {ffun 'I_m -> cube 'I_n * A}) :=
    learn d (fun i => (S i).1) (fun i => f (S i).1 + e (S i).2) in
  expectation (fun _ : 'I_m => p) (fun S => mean (fun x => (f x - g S x) ^+ 2))
  = tail f d
    + (D * mean (fun x => f x ^+ 2) - \sum_(T : {set 'I_n} | (#|T| <= d)%N) fourier f T ^+ 2) / m%:R
    + D * (\sum_a q a * e a ^+ 2) / m%:R.
Proof.
move=> m0 q0 q1 centred D p g; have := guarantees.averaging_risk f d q0 q1 m0 centred.
by rewrite learning.low_setsE card_ord.
Qed.

Theorem junta_networks (R : rcfType) (p : nat) : (1 <= p)%N ->
  (forall (g : cube 'I_p -> R) (x : cube 'I_p),
     let z a := \sum_k coord R a k * coord R x k - p%:R + 1 in
     \sum_a g a * relu (z a) = g x /\ [set a | 0 < z a] = [set x])
  /\ forall (n s : nat) (P : {set 'I_n}) (f : cube 'I_n -> R),
     (2 ^ p <= s)%N -> (#|P| <= p)%N -> (forall x, `|f x| = 1) ->
     (forall x y : cube 'I_n, {in P, x =1 y} -> f x = f y) ->
     exists N : network R 'I_n 'I_s, value N =1 f /\ in_class 1 (Num.sqrt p%:R) p%:R N.
Proof.
move=> p_gt0; split=> [g x | n s P f ps Pp f1 fP]; first exact: lookups.junta_printed.
by have [N [valueN _ classN]] := juntas.junta_networks p_gt0 f1 fP ps Pp; exists N.
Qed.

Theorem indexing (R : realFieldType) (b : nat) (x : cube 'I_b) (y : cube (cube 'I_b)) :
  let z a := \sum_i coord R a i * coord R x i + 2^-1 * coord R y a - b%:R + 2^-1 in
  [/\ \sum_a relu (z a) = (~~ y x)%:R, [set a | 0 < z a] \subset [set x]
    & z x = 2^-1 * coord R y x + 2^-1].
Proof. exact: lookups.indexing_statement. Qed.

Theorem removal (R : realFieldType) :
  (forall (p : nat) (g : cube 'I_p -> R) (a0 : cube 'I_p), (forall a, `|g a| = 1) ->
     exists x : cube 'I_p,
     \sum_(a | a != a0) g a * relu (\sum_k coord R a k * coord R x k - p%:R + 1) != g x)
  /\ (forall (b : nat) (a0 : cube 'I_b), exists (x : cube 'I_b) (y : cube (cube 'I_b)),
     \sum_(a | a != a0)
       relu (\sum_i coord R a i * coord R x i + 2^-1 * coord R y a - b%:R + 2^-1)
     != (~~ y x)%:R).
Proof. exact: lookups.removal. Qed.

Theorem appendix_a (R : realFieldType) (b q : nat) (Gamma : R) (w : cube 'I_b -> 'I_q -> R)
    (x : cube 'I_b) (y : cube 'I_q) :
  let z a := \sum_i w a i * coord R y i + Gamma * (\sum_i coord R x i * coord R a i - b%:R) in
  (forall a : cube 'I_b, a != x -> z a <= 0) ->
  \sum_a relu (z a) = relu (\sum_i w x i * coord R y i).
Proof. exact: lookups.appendix_a_value. Qed.

Theorem ours_appendix_a_threshold (R : rcfType) (b q : nat) (Gamma : R)
    (w : cube 'I_b -> 'I_q -> R) :
  let z (x : cube 'I_b) (y : cube 'I_q) a :=
    \sum_i w a i * coord R y i + Gamma * (\sum_i coord R x i * coord R a i - b%:R) in
  let sparse1 := forall x y, (#|[set a | (0 < z x y a)%R]| <= 1)%N in
  [/\ (forall a, norm1 (w a) <= 2 * Gamma) -> sparse1,
      (1 <= b)%N -> 0 <= Gamma ->
        forall w0, (forall a, w a = w0) -> sparse1 -> norm1 w0 <= 2 * Gamma,
      forall c, 0 <= c -> (forall a, sqnorm (w a) <= c ^+ 2) -> c * Num.sqrt q%:R / 2 <= Gamma -> sparse1
    & (1 <= b)%N -> (1 <= q)%N -> 0 <= Gamma ->
        (forall a, w a = fun=> (Num.sqrt q%:R)^-1) -> sparse1 -> Num.sqrt q%:R / 2 <= Gamma].
Proof. exact: lookups.appendix_a_threshold. Qed.

(* A tree has the leaves j; leaf j is reached by the x that agree with        *)
(* answer_j on path_j. Its neuron is relu(<v_j, x> + c_j                      *)
(* + t_j (<answer_j, x>_(path_j) - |path_j|)).                                *)
Theorem decision_tree (R : realFieldType) (n s : nat) (path : 'I_s -> {set 'I_n})
    (answer : 'I_s -> cube 'I_n) (v : 'I_s -> 'I_n -> R) (c t : 'I_s -> R) :
  let N := Network (fun=> 1)
    (fun j i => v j i + (if i \in path j then t j * coord R (answer j) i else 0))
    (fun j => t j * #|path j|%:R - c j) in
  let leaf j (x : cube 'I_n) := {in path j, answer j =1 x} in
  (forall x j l, leaf j x -> leaf l x -> j = l) ->
  (forall j, 0 <= t j /\ norm1 (v j) + c j <= 2 * t j) ->
  [/\ sparse 1 N,
      forall x j, leaf j x -> value N x = relu (\sum_i v j i * coord R x i + c j)
    & forall x, (forall j, ~ leaf j x) -> value N x = 0].
Proof. exact: lookups.decision_tree. Qed.

(* mean g is the share of the cube on which g = 1; complements of half-spaces *)
(* have the bound too, and one bit attains it.                                *)
Theorem halfspace_sqrt_n (R : rcfType) :
  (forall (n : nat) (w : 'I_n -> R) (b : R),
     let g (x : cube 'I_n) : R := (b < \sum_i w i * coord R x i)%R%:R in
     let complement (x : cube 'I_n) : R := (\sum_i w i * coord R x i <= b)%R%:R in
     [/\ average_sensitivity g <= Num.sqrt (n%:R * (mean g * (1 - mean g))) / 2,
         Num.sqrt (n%:R * (mean g * (1 - mean g))) / 2 <= Num.sqrt n%:R / 4
       & average_sensitivity complement <= Num.sqrt n%:R / 4])
  /\ average_sensitivity (fun x : cube 'I_1 => (0 < coord R x ord0)%R%:R : R) = Num.sqrt 1 / 4.
Proof.
split=> [n w b g complement|]; last exact: halfspaces.halfspace_one_bit.
by have [open half] := halfspaces.halfspace w b; split=> //; apply: halfspaces.halfspace_closed.
Qed.

(* Sparse on the whole of R^n, not only on a cube.                            *)
Theorem ours_gaussian (R : realFieldType) (n s : nat) (N : network R 'I_n 'I_s) :
  ((forall j, exists i, weight N j i != 0) ->
     exists p : 'I_n -> R, (s <= 2 * #|active_at N p|)%N)
  /\ forall k, sparse_on (fun p : 'I_n -> R => p) k N ->
     (#|[set j | [exists i, (weight N j i != 0)%R]]| <= 2 * k)%N.
Proof. by have := inference.whole_space N; rewrite card_ord. Qed.

(* b = 1, q = 3, Gamma = sqrt 3 and w_alpha = c/sqrt 3 (1, 1, 1) for both      *)
(* alpha: not 1-sparse for c = 5/2, but for c = 2.                            *)
Theorem E28 (R : rcfType) :
  let active (c : R) (x : cube 'I_1) (y : cube 'I_3) :=
    [set a : cube 'I_1 | 0 < \sum_i c / Num.sqrt 3 * coord R y i
                             + Num.sqrt 3 * (\sum_i coord R x i * coord R a i - 1)] in
  ~ (forall x y, (#|active (5 / 2)%R x y| <= 1)%N) /\ forall x y, (#|active 2%R x y| <= 1)%N.
Proof.
move=> active; have s3 : 0 < Num.sqrt 3 :> R by rewrite sqrtr_gt0 ltr0n.
have norm (c : R) : 0 <= c -> norm1 (fun _ : 'I_3 => c / Num.sqrt 3) = c * Num.sqrt 3.
  move=> c0; rewrite /norm1 sumr_const card_ord ger0_norm ?divr_ge0 ?(ltW s3) // -[LHS]mulr_natr.
  have square : Num.sqrt 3 * Num.sqrt 3 = 3 :> R by rewrite -expr2 sqr_sqrtr ?ler0n.
  by rewrite -[X in _ * X = _]square mulrA divfK ?gt_eqF.
split=> [one | x y].
  have [_ necessary _ _] := ours_appendix_a_threshold (Num.sqrt 3) (fun (_ : cube 'I_1) (_ : 'I_3) => 5 / 2 / Num.sqrt 3 : R).
  have := necessary isT (ltW s3) _ (fun=> erefl) one.
  rewrite norm ?divr_ge0 ?ler0n // ler_pM2r // ler_pdivrMr ?ltr0n // -natrM ler_nat //.
have [sparse1 _ _ _] := ours_appendix_a_threshold (Num.sqrt 3) (fun (_ : cube 'I_1) (_ : 'I_3) => 2 / Num.sqrt 3 : R).
by apply: sparse1 => a; rewrite norm ?ler0n.
Qed.

(* ==== Chapter 2 =========================================================== *)

(* The printed bounds of Lemma 9 and Lemma 10, their first terms, with [log]  *)
(* the whole part of log_2 (n s).                                             *)
Theorem lemma_9 (R : rcfType) (n s k : nat) (W B : R) (N : network R 'I_n 'I_s) :
    in_class k W B N -> (2 <= n * s)%N ->
  let log : R := (trunc_log 2 (n * s))%:R in
  average_sensitivity (value N) <= 4 * (k%:R ^+ 4 * W ^+ 2 * Num.sqrt n%:R * log).
Proof. exact: sparse_networks.average_sensitivity_printed. Qed.

Theorem lemma_9_pieces (R : realFieldType) (n s : nat) (W B : R) (N : network R 'I_n 'I_s)
    (A : {set 'I_s}) : scale_at_most W B N ->
  sqnorm (piece_weight N A) <= (#|A|%:R * W) ^+ 2 /\ `|piece_bias N A| <= #|A|%:R * B.
Proof. exact: pieces.pieces_scale. Qed.

Theorem lemma_9_decomposition (R : realFieldType) (n s k : nat) (W B : R)
    (N : network R 'I_n 'I_s) : (1 <= s)%N -> in_class k W B N ->
  forall x, let w := piece_weight N (active N x) in let b := piece_bias N (active N x) in
    [/\ value N x = \sum_i w i * coord R x i - b,
        sqnorm w <= (k%:R * W) ^+ 2 & `|b| <= k%:R * B].
Proof. exact: pieces.decomposition. Qed.

Theorem lemma_9_range (R : rcfType) (n s k : nat) (W B : R) (N : network R 'I_n 'I_s) :
    (1 <= s)%N -> in_class k W B N ->
  forall x, `|value N x| <= k%:R * W * Num.sqrt n%:R + k%:R * B.
Proof. exact: pieces.range. Qed.

(* At the network that exists, with k = W = 1, both are equalities.           *)
Theorem eq_U (R : realFieldType) :
  (forall (n s k : nat) (W B : R) (N : network R 'I_n 'I_s), in_class k W B N ->
     let square := mean (fun x => sqnorm (piece_weight N (active N x))) in
     part_U N <= square /\ square <= k%:R ^+ 2 * W ^+ 2)
  /\ exists N : network R 'I_1 'I_1, in_class 1 1 2 N /\ part_U N = 1.
Proof.
split=> [n s k W B N | ]; first exact: pieces.part_U_bounds.
by have [N [classN U1 _]] := pieces.witness_E12 R; exists N.
Qed.

Theorem E12 (R : realFieldType) : exists N : network R 'I_1 'I_1,
  [/\ in_class 1 1 2 N, part_U N = 1 & ~ (part_U N <= 1 ^+ 2 * 1 ^+ 2 / 4)].
Proof. exact: pieces.witness_E12. Qed.

Theorem E13 (R : realFieldType) :
  (forall (n : nat) (g : cube 'I_n -> bool),
     \sum_i probability R (fun x => g x != g (flip x i))
     = 4 * average_sensitivity (fun x => (g x)%:R))
  /\ exists g : cube 'I_1 -> bool,
     \sum_i probability R (fun x => g x != g (flip x i))
     <> average_sensitivity (fun x => (g x)%:R).
Proof. by split=> [n g|]; [apply: pieces.flips_of_indicator | apply: pieces.witness_E13]. Qed.

Theorem eq_V (R : rcfType) (n s k : nat) (W B : R) (N : network R 'I_n 'I_s) :
    in_class k W B N -> (2 <= n * s)%N ->
  let log : R := (trunc_log 2 (n * s))%:R in
  part_V N <= 4 * (k%:R ^+ 4 * W ^+ 2 * Num.sqrt n%:R * log).
Proof.
move=> classN ns; apply: le_trans (sparse_networks.average_sensitivity_printed classN ns).
by rewrite pieces.average_sensitivity_parts lerDr pieces.part_U_ge0.
Qed.

Theorem lemma_9_jump (R : realFieldType) (n s : nat) (N : network R 'I_n 'I_s) :
  average_sensitivity (value N) = part_U N + part_V N
  /\ part_V N <= mean (fun x => \sum_(i | active N (flip x i) != active N x) value N x ^+ 2).
Proof. by split; [apply: pieces.average_sensitivity_parts | apply: pieces.part_V_le_values]. Qed.

Theorem lemma_9_boundary (R : realFieldType) (n s : nat) (N : network R 'I_n 'I_s) :
  \sum_i probability R (fun x => active N (flip x i) != active N x)
  <= 4 * \sum_j average_sensitivity (fun x => (j \in active N x)%:R : R).
Proof. exact: pieces.active_set_changes. Qed.

Theorem lemma_9_budget (R : realFieldType) (n s k : nat) (N : network R 'I_n 'I_s) :
  sparse k N -> \sum_j probability R (fun x => j \in active N x) <= k%:R.
Proof. exact: pieces.activation_budget. Qed.

Theorem ours_average_sensitivity (R : realFieldType) (n s k : nat) (W B : R)
    (N : network R 'I_n 'I_s) : in_class k W B N ->
  let AS := average_sensitivity (value N) in
  let weighted := mean (fun x =>
    #|active N x|%:R * \sum_(j in active N x) outer N j ^+ 2 * sqnorm (weight N j)) in
  let square := mean (fun x => #|active N x|%:R ^+ 2) in
  [/\ AS <= 4 * weighted,
      4 * weighted <= 4 * W ^+ 2 * square,
      4 * W ^+ 2 * square <= 4 * k%:R ^+ 2 * W ^+ 2
    & AS <= (minn (2 * k) s)%:R ^+ 2 * W ^+ 2].
Proof. exact: sparse_networks.average_sensitivity_chain. Qed.

Theorem lemma_10 (R : rcfType) (n s k : nat) (W B rho : R) (N : network R 'I_n 'I_s) :
    in_class k W B N -> (2 <= n * s)%N -> 0 <= rho < 1 ->
  let log : R := (trunc_log 2 (n * s))%:R in
  noise_sensitivity rho (value N)
  <= Num.sqrt (1 - rho) * (2 * (k%:R ^+ 4 * W ^+ 2 * log ^+ 2)).
Proof. by move=> classN ns range; apply: (sparse_networks.noise_printed classN). Qed.

Theorem ours_noise_sensitivity (R : realFieldType) (rho : R) : -1 <= rho <= 1 ->
  (forall (n s k : nat) (W B : R) (N : network R 'I_n 'I_s), in_class k W B N ->
     let AS := average_sensitivity (value N) in
     noise_sensitivity rho (value N) <= (1 - rho) / 2 * AS
     /\ (1 - rho) / 2 * AS <= 2 * k%:R ^+ 2 * W ^+ 2 * (1 - rho))
  /\ exists N : network R 'I_1 'I_2,
     [/\ in_class 1 1 1 N, forall x, value N x = 2 * coord R x ord0
       & noise_sensitivity rho (value N) = 2 * (1 - rho)].
Proof.
move=> range; split=> [n s k W B N classN |]; first exact: sparse_networks.noise_chain classN range.
exact: suprema.noise_attained.
Qed.

Theorem ours_tail_from_sensitivity (R : realFieldType) (n d : nat) (f : cube 'I_n -> R) :
  (forall rho, 0 <= rho < 1 ->
     tail f d <= 2 * noise_sensitivity rho f / (1 - rho ^+ d.+1))
  /\ tail f d <= average_sensitivity f / d.+1%:R.
Proof.
split=> [rho range|]; first exact: fourier.tail_le_noise.
exact: fourier.tail_le_average_sensitivity.
Qed.

(* The last part: equality if and only if all weight beyond degree 1 is at    *)
(* degree d+1.                                                                *)
Theorem ours_tail_affine (R : realFieldType) (n d : nat) (f : cube 'I_n -> R) : (1 <= d)%N ->
  let AS := average_sensitivity f in
  let Var := covariance f f in
  [/\ tail f d <= Var,
      tail f d <= (AS - Var) / d%:R,
      Num.min Var ((AS - Var) / d%:R) <= AS / d.+1%:R,
      (2 <= d)%N -> tail f d <= (AS - 2 * Var + \sum_i fourier f [set i] ^+ 2) / d.-1%:R
    & tail f d = (AS - Var) / d%:R
      <-> (forall T : {set 'I_n}, (1 < #|T|)%N -> fourier f T != 0 -> #|T| = d.+1)].
Proof.
move=> d0 AS Var; split.
- exact: differences.tail_le_variance.
- exact: differences.tail_le_affine.
- exact: differences.affine_le_sensitivity.
- exact: differences.tail_le_quadratic.
exact: differences.eq_tail_affine.
Qed.

(* G is the sum of the variances of the differences; equality as above.       *)
Theorem ours_differences (R : realFieldType) (n : nat) (f : cube 'I_n -> R) :
  let G := \sum_i covariance (difference f i) (difference f i) in
  [/\ G = average_sensitivity f - \sum_i fourier f [set i] ^+ 2,
      G = \sum_(T : {set 'I_n} | (1 < #|T|)%N) #|T|%:R * fourier f T ^+ 2
    & forall d, (1 <= d)%N ->
        tail f d <= G / d.+1%:R
        /\ (tail f d = G / d.+1%:R
            <-> (forall T : {set 'I_n}, (1 < #|T|)%N -> fourier f T != 0 -> #|T| = d.+1))].
Proof.
move=> G; split=> [||d d0].
- exact: differences.variances_sensitivity.
- exact: differences.variances_fourier.
by split; [apply: differences.tail_le_variances | apply: differences.eq_tail_variances].
Qed.

Theorem ours_tail (R : rcfType) (n d : nat) :
  (forall f : cube 'I_n -> R, tail f d <= average_sensitivity f / d.+1%:R)
  /\ forall (s k : nat) (W B : R),
     let bound := 4 * k%:R ^+ 2 * W ^+ 2 / d.+1%:R in
     [/\ forall N : network R 'I_n 'I_s, in_class k W B N -> tail (value N) d <= bound,
         forall (N : network R 'I_n 'I_s) (eps : R), in_class k W B N -> 0 < eps ->
           4 * k%:R ^+ 2 * W ^+ 2 / eps <= d.+1%:R -> tail (value N) d <= eps
       & (d.+1 <= n)%N -> (2 ^ d.+1 * k <= s)%N -> 0 <= W ->
         W * `|d%:R - 1| / Num.sqrt d.+1%:R <= B ->
         exists (N : network R 'I_n 'I_s) (c : R) (S : {set 'I_n}),
           [/\ in_class k W B N, tail (value N) d = bound, #|S| = d.+1
             & forall x, value N x = c * character R S x]].
Proof.
split=> [f | s k W B bound]; first exact: fourier.tail_le_average_sensitivity.
have upper (N : network R 'I_n 'I_s) : in_class k W B N -> tail (value N) d <= bound.
  by case=> sparseN scaleN; apply: sparse_networks.sparse_tail scaleN sparseN d.
split=> // [N eps classN eps_gt0 | dn ks W0 WB].
  move=> enough; apply: le_trans (upper N classN) _.
  by rewrite ler_pdivrMr ?ltr0Sn // [leRHS]mulrC -ler_pdivrMr.
have [N [classN [S [cardS valueN]] tailN]] := suprema.tail_supremum dn ks W0 WB.
by exists N, (2 * (W / Num.sqrt d.+1%:R) * k%:R), S.
Qed.

Theorem ours_remark_11 (R : realFieldType) (n s k : nat) (W B : R) (N : network R 'I_n 'I_s) :
    scale_at_most W B N ->
  let AS := average_sensitivity (value N) in
  let square := mean (fun x => #|active N x|%:R ^+ 2) in
  let eta := probability R (fun x => k < #|active N x|)%N in
  [/\ AS <= 4 * W ^+ 2 * square,
      4 * W ^+ 2 * square <= 4 * W ^+ 2 * (k%:R ^+ 2 + eta * s%:R ^+ 2),
      AS <= W ^+ 2 * Num.min (4 * k%:R ^+ 2 + 2 * eta * s%:R ^+ 2) (s%:R ^+ 2)
    & (1 <= s)%N -> eta <= k%:R ^+ 2 / s%:R ^+ 2 -> AS <= 3 / 2 * (4 * k%:R ^+ 2 * W ^+ 2)].
Proof.
move=> scaleN AS square eta; have [AS_le square_le min_le] := sparse_networks.remark_11 k scaleN.
split=> // s_gt0 eta_le; apply: le_trans min_le _.
rewrite mulrC [leRHS]mulrA ler_wpM2r ?sqr_ge0 // ge_min; apply/orP; left.
rewrite ler_pdivlMr ?exprn_gt0 ?ltr0n // in eta_le.
apply: (@le_trans _ _ (4 * k%:R ^+ 2 + 2 * k%:R ^+ 2)).
  by rewrite lerD2l -mulrA ler_wpM2l ?ler0n.
by rewrite -mulrDl -natrD [leRHS]mulrA ler_wpM2r ?sqr_ge0 // mulrAC ler_pdivlMr ?ltr0n // -!natrM ler_nat.
Qed.

(* x_l = z_l v_e for l in bucket e; a sign is a Boolean, their product is (+). *)
Theorem appendix_b_restriction (R : realFieldType) (n m s k : nat) (N : network R 'I_n 'I_s)
    (bucket : 'I_n -> 'I_m) (z : cube 'I_n) :
  let H := Network (outer N)
    (fun j e => \sum_(l | bucket l == e) weight N j l * coord R z l) (bias N) in
  let x (v : cube 'I_m) : cube 'I_n := [ffun l => z l (+) v (bucket l)] in
  (forall v, value N (x v) = value H v) /\ (sparse k N -> sparse k H).
Proof. exact: pieces.restriction. Qed.

Theorem appendix_b_largest (R : realFieldType) (n m : nat) (w : 'I_n -> R)
    (bucket : 'I_n -> 'I_m) (z : cube 'I_n) :
  sqnorm (fun e => \sum_(l | bucket l == e) w l * coord R z l) <= n%:R * sqnorm w.
Proof. exact: pieces.restriction_weight. Qed.

(* Theorem 4 with delta = 2^-r: d and m depend on n, k, W, B and eps only, so *)
(* that r m samples suffice, for all s. R is Archimedean.                     *)
Theorem theorem_4 (R : realFieldType) (n k : nat) (W B eps : R) :
    (forall z : R, exists b : nat, z <= b%:R) -> 0 < eps ->
  exists d m : nat,
  [/\ d%:R <= 40 * k%:R ^+ 2 * W ^+ 2 / eps,
      m%:R <= 320 * k%:R ^+ 2 * (n%:R * W ^+ 2 + B ^+ 2) * n.+1%:R ^+ d / eps + 1
    & forall (s r : nat) (N : network R 'I_n 'I_s), in_class k W B N ->
      let g (S : {ffun 'I_r -> {ffun 'I_m -> cube 'I_n}}) :=
        learn_selected d (eps / 10) (fun b i => S b i) (fun b i => value N (S b i)) in
      #|[set S | eps < mean (fun x => (value N x - g S x) ^+ 2)]|%:R
      <= 2^-1 ^+ r * #|{: {ffun 'I_r -> {ffun 'I_m -> cube 'I_n}}}|%:R :> R].
Proof. exact: selection.learnable. Qed.

(* The number of samples, in three forms: the expected squared error of the   *)
(* averages of m samples; the share delta of samples with more than 2 eps     *)
(* (Markov); and r batches of m samples, with a share 2^-r.                   *)
Theorem theorem_8 (R : realFieldType) (n s k m d : nat) (W B : R) (N : network R 'I_n 'I_s) :
    in_class k W B N -> (0 < m)%N ->
  let D : R := (\sum_(l < d.+1) 'C(n, l))%:R in
  let C2 := 2 * k%:R ^+ 2 * (n%:R * W ^+ 2 + B ^+ 2) in
  let error g := mean (fun x => (value N x - g x) ^+ 2) in
  let g (S : {ffun 'I_m -> cube 'I_n}) := learn d (fun i => S i) (fun i => value N (S i)) in
  let g' r (eps : R) (S : {ffun 'I_r -> {ffun 'I_m -> cube 'I_n}}) :=
    learn_selected d eps (fun b i => S b i) (fun b i => value N (S b i)) in
  [/\ (\sum_S error (g S)) / #|{: {ffun 'I_m -> cube 'I_n}}|%:R
        <= 4 * k%:R ^+ 2 * W ^+ 2 / d.+1%:R + D * C2 / m%:R,
      forall eps delta : R, 0 < eps -> 4 * k%:R ^+ 2 * W ^+ 2 <= eps * d.+1%:R ->
        D * C2 <= eps * delta * m%:R ->
        #|[set S | 2 * eps < error (g S)]|%:R <= delta * #|{: {ffun 'I_m -> cube 'I_n}}|%:R
    & forall (eps : R) r, 0 < eps -> 4 * k%:R ^+ 2 * W ^+ 2 <= eps * d.+1%:R ->
        16 * C2 * D <= eps * m%:R ->
        #|[set S | 10 * eps < error (g' r eps S)]|%:R
        <= 2^-1 ^+ r * #|{: {ffun 'I_r -> {ffun 'I_m -> cube 'I_n}}}|%:R :> R].
Proof.
move=> classN m0 D C2 error g g'; split=> [|eps delta eps0 degree size | eps r eps0 degree size].
- exact: guarantees.sparse_learning_expected.
- exact (guarantees.sparse_learning classN m0 eps0 degree size).
have sizeE : 32 * k%:R ^+ 2 * (n%:R * W ^+ 2 + B ^+ 2) * D <= eps * m%:R.
  by apply: le_trans size; rewrite -[32]/((16 * 2)%N%:R) natrM /C2 !mulrA lexx.
exact (selection.selected_sparse r m0 classN eps0 degree sizeE).
Qed.

(* Labels Y with any joint distribution whose points X are uniform: one       *)
(* sample does for all networks of all classes. First m samples and a share   *)
(* delta, then bounded labels, r batches and a share 2^-r.                    *)
Theorem agnostic_remark (R : realFieldType) (n m d : nat) (Omega : finType) (p : Omega -> R)
    (X : Omega -> cube 'I_n) (Y : Omega -> R) : uniform_marginal p X -> (0 < m)%N ->
  let D : R := (\sum_(l < d.+1) 'C(n, l))%:R in
  let good g rest := forall (s k : nat) (W B t : R) (N : network R 'I_n 'I_s),
    in_class k W B N -> 0 < t ->
    risk p X Y g <= (1 + t) * risk p X Y (value N)
                    + (1 + t^-1) * (4 * k%:R ^+ 2 * W ^+ 2 / d.+1%:R) + rest in
  (forall eps delta : R, 0 < eps -> D * (\sum_o p o * Y o ^+ 2) <= eps * delta * m%:R ->
     exists bad : pred {ffun 'I_m -> Omega}, \sum_(S | bad S) \prod_i p (S i) <= delta
       /\ forall S, ~~ bad S -> good (learn d (fun i => X (S i)) (fun i => Y (S i))) eps)
  /\ (forall (M eps : R) r, 0 < eps -> (forall o, `|Y o| <= M) -> 16 * (D * M ^+ 2) <= eps * m%:R ->
     exists bad : pred {ffun 'I_r -> {ffun 'I_m -> Omega}},
       \sum_(S | bad S) \prod_b \prod_i p (S b i) <= 2^-1 ^+ r
       /\ forall S, ~~ bad S ->
          good (learn_selected d eps (fun b i => X (S b i)) (fun b i => Y (S b i))) (9 * eps)).
Proof.
move=> uX m0 D good; have DE : (learning.low_sets 'I_n d)%:R = D by rewrite learning.low_setsE card_ord.
split=> [eps delta eps0 size | M eps r eps0 YM size].
  rewrite -DE in size; have [bad [small best]] := guarantees.agnostic_sparse uX m0 eps0 size.
  exists bad; split=> [|S okS s k W B t N]; last exact: best.
  apply: le_trans small; rewrite big_mkcond; apply: ler_sum => S _.
  by case: ifP; rewrite ?mulr1 ?mulr0.
rewrite -DE in size.
have [bad [small best]] := selection.selected_agnostic r uX m0 YM eps0 size.
exists bad; split=> // S okS s k W B t N [sparseN scaleN] t0.
apply: le_trans (best S okS (value N) t t0) _; rewrite lerD2r lerD2l ler_wpM2l //.
  by rewrite addr_ge0 ?ler01 ?invr_ge0 ?ltW.
exact: sparse_networks.sparse_tail scaleN sparseN d.
Qed.

Theorem ours_agnostic (R : rcfType) (n d : nat) (Omega : finType) (p : Omega -> R)
    (X : Omega -> cube 'I_n) (Y : Omega -> R) (h : cube 'I_n -> R) : uniform_marginal p X ->
  exists c : {set 'I_n} -> R,
    risk p X Y (polynomial d c) <= (Num.sqrt (risk p X Y h) + Num.sqrt (tail h d)) ^+ 2
    /\ forall eps, 2 * tail h d <= eps -> 16 * risk p X Y h * tail h d <= eps ^+ 2 ->
         risk p X Y (polynomial d c) <= risk p X Y h + eps.
Proof. exact: guarantees.agnostic_polynomial. Qed.

(* The first entry of the minimum: any d >= 4 k^2 W^2 / eps.                  *)
Theorem ours_degree (R : realFieldType) (n s k d : nat) (W B eps : R) (N : network R 'I_n 'I_s) :
    in_class k W B N -> 0 < eps -> 4 * (k%:R ^+ 2 * W ^+ 2 / eps) <= d%:R -> tail (value N) d <= eps.
Proof.
move=> [sparseN scaleN] eps0 degree; apply: le_trans (sparse_networks.sparse_tail scaleN sparseN d) _.
rewrite ler_pdivrMr ?ltr0Sn //; apply: (@le_trans _ _ (eps * d%:R)); last first.
  by rewrite ler_wpM2l ?ler_nat ?(ltW eps0).
by rewrite [leRHS]mulrC -ler_pdivrMr // -!mulrA; rewrite -!mulrA in degree.
Qed.

(* |R_x| <= k except on a share k^2/s^2 of the cube.                          *)
Theorem remark_11 (R : realFieldType) (n s k m d r : nat) (W B eps : R) (N : network R 'I_n 'I_s) :
    scale_at_most W B N -> (1 <= s)%N -> (0 < m)%N -> 0 < eps ->
    probability R (fun x => (k < #|active N x|)%N) <= k%:R ^+ 2 / s%:R ^+ 2 ->
    6 * k%:R ^+ 2 * W ^+ 2 <= eps * d.+1%:R ->
    16 * ((\sum_(l < d.+1) 'C(n, l))%:R * mean (fun x => value N x ^+ 2)) <= eps * m%:R ->
  let g (S : {ffun 'I_r -> {ffun 'I_m -> cube 'I_n}}) :=
    learn_selected d eps (fun b i => S b i) (fun b i => value N (S b i)) in
  #|[set S | 10 * eps < mean (fun x => (value N x - g S x) ^+ 2)]|%:R
  <= 2^-1 ^+ r * #|{: {ffun 'I_r -> {ffun 'I_m -> cube 'I_n}}}|%:R :> R.
Proof.
move=> scaleN s0 m0 eps0 rarely degree size.
apply: (selection.selected_learning r m0 eps0 _ size).
apply: le_trans (fourier.tail_le_average_sensitivity _ _) _.
rewrite ler_pdivrMr ?ltr0Sn //; apply: le_trans degree.
have [_ _ _ bound] := ours_remark_11 k scaleN; apply: le_trans (bound s0 rarely) _.
have -> : 6 = 3 / 2 * 4 :> R by rewrite -[4]/((2 * 2)%N%:R) natrM mulrA divfK ?pnatr_eq0 // -natrM.
by rewrite !mulrA lexx.
Qed.

(* ==== Chapter 3 =========================================================== *)

Theorem ours_junta_half_scale (R : rcfType) (p : nat) : (1 <= p)%N ->
  (forall (f : cube 'I_p -> R) (x : cube 'I_p),
     let z a := 2^-1 * (\sum_k coord R a k * coord R x k - p%:R + 2) in
     \sum_a f a * relu (z a) = f x /\ [set a | 0 < z a] = [set x])
  /\ forall (n : nat) (P : {set 'I_n}) (f : cube 'I_n -> R),
     #|P| = p -> (forall x, `|f x| = 1) ->
     (forall x y : cube 'I_n, {in P, x =1 y} -> f x = f y) ->
     exists N : network R 'I_n 'I_(2 ^ p),
       value N =1 f /\ in_class 1 (Num.sqrt p%:R / 2) (`|p%:R - 2| / 2) N.
Proof.
move=> p_gt0; split=> [f x | n P f cardP f1 fP]; first exact: lookups.junta_half.
by have [N [valueN _ classN]] := juntas.junta_half_scale f1 fP cardP; exists N.
Qed.

Theorem E1 (m : nat) (S : {set 'I_m}) (y : cube 'I_m) :
  (2%:Z %| \sum_(i in S) (-1) ^+ y i)%Z = ~~ odd #|S|.
Proof. exact: parity.printed_parity_constant. Qed.

(* The even a with |a| <= m are 2 l - 2 floor(m/2), l = 0, ..., 2 floor(m/2). *)
Theorem parity_identity (R : realFieldType) (m : nat) (S : {set 'I_m}) (y : cube 'I_m) :
  let t : R := \sum_(i in S) coord R y i in
  let a l := 2 * l%:R - 2 * (m./2)%:R in
  let z l := 2^-1 - (t - a l) ^+ 2 in
  \sum_(l < (m./2).*2.+1) 2 * relu (z l) = (~~ odd #|S|)%:R
  /\ (#|[set l : 'I_(m./2).*2.+1 | (0 < z l)%R]| <= 1)%N.
Proof. by split; [apply: parity.printed_parity_sum | apply: parity.printed_parity_active]. Qed.

Theorem parity_linearisation (R : realFieldType) (m : nat) (S : {set 'I_m}) (a : R) :
  let w (ij : 'I_m * 'I_m) :=
    if (ij.1 \in S) && (ij.2 \in S) then (if ij.1 == ij.2 then 2 * a else -1) else 0 in
  let b := #|S|%:R + a ^+ 2 - 2^-1 in
  forall y : cube 'I_m, 2^-1 - (\sum_(i in S) coord R y i - a) ^+ 2
    = (\sum_ij w ij * coord R (lifted y) ij) - b.
Proof. exact: parity.parity_linearisation. Qed.

(* The weights and the bias of parity_linearisation, for all |a| <= m.        *)
Theorem parity_norms (R : realFieldType) (m : nat) (S : {set 'I_m}) (a : R) :
    (1 <= m)%N -> `|a| <= m%:R ->
  let w (ij : 'I_m * 'I_m) :=
    if (ij.1 \in S) && (ij.2 \in S) then (if ij.1 == ij.2 then 2 * a else -1) else 0 in
  sqnorm w <= 4 * m%:R ^+ 3 + m%:R ^+ 2 - m%:R
  /\ `|#|S|%:R + a ^+ 2 - 2^-1| <= m%:R ^+ 2 + m%:R.
Proof. exact: parity.parity_norms. Qed.

(* The a with |a| <= |S| and a = |S| modulo 4 (or 2) are |S| - 4 l (or        *)
(* |S| - 2 l), and then (|S| - a)/2 = l in the second sum.                    *)
Theorem ours_parity_mod_4 (R : realFieldType) (m : nat) (S : {set 'I_m}) (y : cube 'I_m) :
  let t : R := \sum_(i in S) coord R y i in
  let z l := 2^-1 - (t - (#|S|%:R - 4 * l%:R)) ^+ 2 in
  let z' l := 1 - 4^-1 * (t - (#|S|%:R - 2 * l%:R)) ^+ 2 in
  [/\ \sum_(l < (#|S|./2).+1) 2 * relu (z l) = (~~ odd (minus_signs S y))%:R,
      \sum_(l < #|S|.+1) (-1) ^+ l * relu (z' l) = character R S y,
      (#|[set l : 'I_(#|S|./2).+1 | (0 < z l)%R]| <= 1)%N
    & (#|[set l : 'I_#|S|.+1 | (0 < z' l)%R]| <= 1)%N].
Proof. exact: parity.parity_mod_4. Qed.

Theorem ours_parity_tent (R : realFieldType) (m : nat) (S : {set 'I_m}) :
  let a (l : 'I_(#|S|./2).+1) : R := #|S|%:R - 4 * l%:R in
  let N := Network (fun=> 1)
    (fun l (ij : 'I_m * 'I_m) => if (ij.1 \in S) && (ij.2 \in S)
       then (if ij.1 == ij.2 then a l / 2 else - 4^-1) else 0)
    (fun l => (#|S|%:R + a l ^+ 2) / 4 - 1) in
  [/\ (forall y : cube 'I_m, value N (lifted y) = (~~ odd (minus_signs S y))%:R),
      sparse_on (fun y : cube 'I_m => coord R (lifted y)) 1 N
    & forall l, sqnorm (weight N l) <= (4 * m%:R ^+ 3 + m%:R ^+ 2 - m%:R) / 16].
Proof. exact: parity.parity_tent. Qed.

(* In Euclidean norm W is attained for S = [m]; each coefficient is <= 4 m.   *)
Theorem parity_in_class (R : rcfType) (m : nat) (S : {set 'I_m}) : (1 <= m)%N ->
  let W2 : R := 4 * (4 * m%:R ^+ 3 + m%:R ^+ 2 - m%:R) in
  exists N : network R ('I_m * 'I_m) 'I_(2 * m),
  [/\ forall y : cube 'I_m, value N (lifted y) = (~~ odd (minus_signs S y))%:R,
      sparse_on (fun y : cube 'I_m => coord R (lifted y)) 1 N,
      scale_at_most (Num.sqrt W2) (2 * (m%:R ^+ 2 + m%:R)) N,
      forall j l ij, `|outer N j| * `|weight N l ij| <= 4 * m%:R
    & S = setT -> exists j, outer N j ^+ 2 * sqnorm (weight N j) = W2].
Proof. exact: parity_class.parity_in_class. Qed.

(* On the cube itself, without sparsity.                                      *)
Theorem dense_parity (R : realFieldType) (n : nat) (S : {set 'I_n}) :
  [/\ (1 <= #|S|)%N -> exists N : network R 'I_n 'I_#|S|,
        (forall x, value N x = (~~ odd (minus_signs S x))%:R)
        /\ forall j, (forall i, weight N j i = (i \in S)%:R)
                     \/ (forall i, weight N j i = - (i \in S)%:R),
      exists N : network R 'I_n 'I_#|S|.+1, forall x, value N x = character R S x
    & forall s, (1 <= #|S| <= s)%N -> exists N : network R 'I_n 'I_s,
        forall x, value N x = (~~ odd (minus_signs S x))%:R].
Proof. exact: zigzag.dense_parity. Qed.

(* ==== Chapter 4 =========================================================== *)

Theorem lambda_identity (q p m : nat) (w y : 'I_m -> 'I_q) :
  let lambda i := ((i %% q) %% p)%N in
  let f := ((\sum_(i < m) (w i * y i %% q)) %% q %% p)%N in
  f = lambda (inner w y) /\ (inner w y <= m * (q - 1) ^ 2)%N.
Proof. exact: rounding.lambda_identity. Qed.

(* The corrected form: with the constant c = 1/2 sum_i w_i (2^l - 1).         *)
Theorem lwr_encoding (R : realFieldType) (q m : nat) (w y : 'I_m -> 'I_q) :
  let v (ib : 'I_m * 'I_(length q)) : R := - ((w ib.1 : nat)%:R * 2 ^+ ib.2 / 2) in
  let c : R := (\sum_i (w i : nat) * (2 ^ length q - 1))%N%:R / 2 in
  \sum_ib v ib * coord R (digits y) ib + c = (inner w y)%:R.
Proof. exact: rounding.inner_digits. Qed.

(* The corrected form: real weights, and the constant c.                      *)
Theorem lwr_linearisation (R : realFieldType) (K : finType) (v : K -> R) (c a : R) (z : cube K) :
  let w il := if il.1 == il.2 then 2 * (a - c) * v il.1 else - (v il.1 * v il.2) in
  let b := sqnorm v + (a - c) ^+ 2 - 2^-1 in
  2^-1 - (\sum_i v i * coord R z i + c - a) ^+ 2 = \sum_il w il * coord R (lifted z) il - b.
Proof. exact: rounding.linearisation_with_constant. Qed.

Theorem lwr_network (R : realFieldType) (q m p : nat) (w : 'I_m -> 'I_q) :
    (2 <= q)%N ->
  let A := (m * (q - 1) ^ 2)%N in
  let in_place (label : nat -> nat) :=
    exists N : network R (('I_m * 'I_(length q)) * ('I_m * 'I_(length q))) 'I_A.+1,
      (forall y : 'I_m -> 'I_q, value N (lifted (digits y)) = (label (inner w y))%:R)
      /\ sparse_on (fun y : 'I_m -> 'I_q => coord R (lifted (digits y))) 1 N in
  in_place (fun t => (t %% q) %% p)%N /\ in_place (fun t => (p * (t %% q)) %/ q)%N.
Proof.
move=> q_gt1; split; first exact (rounding.network_for_any_map R w (fun t => (t %% q) %% p)%N q_gt1).
exact (rounding.network_for_any_map R w (fun t => (p * (t %% q)) %/ q)%N q_gt1).
Qed.

Theorem ours_lwr_network (R : rcfType) (q m p : nat) (w : 'I_m -> 'I_q) (lambda : nat -> nat) :
    (2 <= q)%N -> (1 <= m)%N -> (forall a, lambda a <= p - 1)%N ->
  let A := (m * (q - 1) ^ 2)%N in
  let v (ib : 'I_m * 'I_(length q)) : R := - ((w ib.1 : nat)%:R * 2 ^+ ib.2 / 2) in
  exists N : network R (('I_m * 'I_(length q)) * ('I_m * 'I_(length q))) 'I_A.+1,
  [/\ forall y : 'I_m -> 'I_q, value N (lifted (digits y)) = (lambda (inner w y))%:R,
      sparse_on (fun y : 'I_m -> 'I_q => coord R (lifted (digits y))) 1 N,
      scale_at_most (2 * (p - 1)%:R * (sqnorm v + 2 * A%:R * Num.sqrt (sqnorm v)))
                    (2 * (p - 1)%:R * (A%:R ^+ 2 + sqnorm v)) N,
      sqnorm v <= (m * (q - 1) ^ 2 * (4 ^ length q - 1))%:R / 12
      /\ (m * (q - 1) ^ 2 * (4 ^ length q - 1))%:R / 12 <= (m * (q - 1) ^ 4)%:R / 3 :> R
    & sqnorm v + 2 * A%:R * Num.sqrt (sqnorm v)
        <= (q - 1)%:R ^+ 4 * (m%:R / 3 + 2 / Num.sqrt 3 * (m%:R * Num.sqrt m%:R))
      /\ A%:R ^+ 2 + sqnorm v <= (q - 1)%:R ^+ 4 * (m%:R ^+ 2 + m%:R / 3)].
Proof.
move=> q1 m0 lambda_le A v; have [N [computes sparseN scaleN v_le v_le_q]] 
  := @rounding.rounding R q m p w lambda q1 m0 lambda_le.
exists N; split=> //; apply: rounding.rounding_scale (le_trans v_le v_le_q).
by apply: sumr_ge0 => ib _; apply: sqr_ge0.
Qed.

(* The weights W and the bias of lwr_linearisation, with v and c of           *)
(* lwr_encoding, for a = 0, ..., A.                                           *)
Theorem lwr_norms (R : realFieldType) (q m a : nat) (w : 'I_m -> 'I_q) :
    (2 <= q)%N -> (1 <= m)%N -> (a <= m * (q - 1) ^ 2)%N ->
  let A := (m * (q - 1) ^ 2)%N in
  let v (ib : 'I_m * 'I_(length q)) : R := - ((w ib.1 : nat)%:R * 2 ^+ ib.2 / 2) in
  let c : R := (\sum_i (w i : nat) * (2 ^ length q - 1))%N%:R / 2 in
  let W il := if il.1 == il.2 then 2 * (a%:R - c) * v il.1 else - (v il.1 * v il.2) in
  [/\ sqnorm W <= sqnorm v ^+ 2 + 4 * A%:R ^+ 2 * sqnorm v,
      `|sqnorm v + (a%:R - c) ^+ 2 - 2^-1| <= sqnorm v + A%:R ^+ 2
    & sqnorm v <= (m * (q - 1) ^ 4)%:R / 3].
Proof. exact: rounding.norms. Qed.

(* floor(p t/q) is p * t %/ q, and floor(p t/q + 1/2) is                      *)
(* (2 p t + q) %/ (2 q); q' stands for the inverse of q modulo p.             *)
Theorem ours_lwr_identities (p q q' t : nat) : (1 <= q)%N -> (q' * q = 1 %[mod p])%N ->
  ((p * t) %/ q + q' * ((p * t %% q) %% p) = 0 %[mod p])%N
  /\ ((2 * (p * t) + q) %/ (2 * q) + q' * ((p * t + q./2) %% q) = q' * q./2 %[mod p])%N.
Proof. exact: rounding.lwr_identities. Qed.

(* The parts about f_w; the probability that elimination succeeds is left out. *)
Theorem ours_lwr_linear (q p m : nat) (w y : 'I_m -> 'I_q) : (1 <= q)%N ->
  let f := ((inner w y %% q) %% p)%N in
  [/\ (p %| q)%N -> (f = inner w y %[mod p])%N, (q <= p)%N -> f = (inner w y %% q)%N
    & (f = inner w y %[mod gcdn p q])%N].
Proof. exact: rounding.linear_cases. Qed.

(* ==== Chapter 5 =========================================================== *)

Theorem ours_dense_decouples (R : realFieldType) (n s m : nat) (W B : R)
    (x : 'I_m -> 'I_n -> R) (r : R) : (1 <= s)%N -> rademacher_is 1 1 W B x r ->
  forall r', rademacher_is s s W B x r' <-> r' = s%:R * r.
Proof. by move=> s_gt0 r1; exact (dense.dense_decouples s_gt0 r1). Qed.

(* The sets I_j with >= 0, as printed, and with > 0.                          *)
Theorem eq_3 (R : realFieldType) (n s m : nat) (x : 'I_m -> 'I_n -> R)
    (N : network R 'I_n 'I_s) (zeta : cube 'I_m) :
  let z j i := preactivation N j (x i) in
  let h := (\sum_i coord R zeta i * value_at N (x i)) / m%:R in
  h = (\sum_j \sum_(i | 0 <= z j i) coord R zeta i * (outer N j * z j i)) / m%:R
  /\ h = (\sum_j \sum_(i | 0 < z j i) coord R zeta i * (outer N j * z j i)) / m%:R.
Proof. by move=> z h; have [closed open] := rademacher.equation_3 x N zeta; split; congr (_ / _). Qed.

(* r is the left side of (4), by definition and eq_3.                         *)
Theorem eq_4 (R : realFieldType) (n s k m : nat) (W B r : R) (x : 'I_m -> 'I_n -> R)
    (sup_weights sup_biases : cube 'I_m -> R) :
  let class (N : network R 'I_n 'I_s) := sparse_on x k N /\ scale_at_most W B N in
  let I (N : network R 'I_n 'I_s) j i := 0 <= preactivation N j (x i) in
  let weights zeta N := (\sum_j \sum_(i | I N j i)
    coord R zeta i * (outer N j * \sum_l weight N j l * x i l)) / m%:R in
  let biases zeta N := (\sum_j \sum_(i | I N j i)
    coord R zeta i * (outer N j * bias N j)) / m%:R in
  rademacher_is s k W B x r ->
  (forall zeta, is_sup class (weights zeta) (sup_weights zeta)) ->
  (forall zeta, is_sup class (biases zeta) (sup_biases zeta)) ->
  r <= mean sup_weights + mean sup_biases.
Proof. by move=> class I weights biases; apply: rademacher.equation_4. Qed.

(* I_j is the set of the points at which neuron j is active, strictly.        *)
Theorem activation_budget (R : rcfType) (n s m k : nat) (x : 'I_m -> 'I_n -> R)
    (N : network R 'I_n 'I_s) : sparse_on x k N ->
  let I j := [set i | j \in active_at N (x i)] in
  (\sum_j #|I j| <= k * m)%N
  /\ \sum_j Num.sqrt #|I j|%:R <= Num.sqrt (s * k * m)%:R :> R.
Proof. exact: rademacher.budget. Qed.

(* The point x = 1; k = m = 1.                                                *)
Theorem E32 (R : realFieldType) : exists N : network R 'I_1 'I_2,
  [/\ active_at N (fun=> 1) = set0, sparse_on (fun _ _ : 'I_1 => 1) 1 N
    & (\sum_j #|[set i : 'I_1 | (0 <= preactivation N j (fun=> 1))%R]| = 2)%N].
Proof. exact: rademacher.boundary_witness. Qed.

(* m >= ln(1/(2 delta))/(- ln(1 - 8 eps/C^2)) without logarithms. T is any    *)
(* set of inputs; the distributions have finite support.                      *)
Theorem ours_two_point (R : realFieldType) (T : Type) (H : (T -> R) -> Prop) (f : T -> R)
    (x0 x1 : T) (C eps delta : R) (m : nat) (Coins : finType) (coin : Coins -> R)
    (learner : Coins -> seq (T * R) -> T -> R) :
  (forall c, 0 <= coin c) -> \sum_c coin c = 1 ->
  H (fun=> 0) -> H f -> f x1 = 0 -> f x0 = C -> 0 < eps -> 8 * eps < C ^+ 2 ->
  pac_learns H m eps delta coin learner -> (1 - 8 * eps / C ^+ 2) ^+ m <= 2 * delta.
Proof. exact: two_points.two_points. Qed.

(* Two neurons relu(x): in the class on {-1}, not on {-1, 1}.                 *)
Theorem E26 (R : realFieldType) :
  let N : network R 'I_1 'I_2 := Network (fun=> 1) (fun _ _ => 1) (fun=> 0) in
  sparse_on (fun (_ : 'I_1) (_ : 'I_1) => -1) 1 N /\ ~ sparse 1 N.
Proof. exact: rademacher.support_witness. Qed.

(* The points of the book; sqnorm (x i) = 6 says that R = sqrt 6.             *)
Theorem ours_conjecture_20_fails (R : rcfType) (W : R) : 0 < W ->
  let x (i : 'I_3) (l : 'I_6) : R :=
    nth 0 (nth [::] [:: [:: 1; 1; 1; 1; 1; 1]; [:: -1; -1; 1; 1; 1; 1]; [:: -1; 1; -1; -1; 1; 1]] i) l in
  let bound := W * Num.sqrt 6 / 6
    * (1 + 2 * Num.sqrt (2 / 3) + 2 * Num.sqrt 2 / 3 + Num.sqrt 17 / 3) in
  [/\ forall i, sqnorm (x i) = 6,
      exists N : cube 'I_3 -> network R 'I_6 'I_2,
        (forall zeta, sparse_on x 1 (N zeta) /\ scale_at_most W 0 (N zeta))
        /\ mean (fun zeta => (\sum_i coord R zeta i * value_at (N zeta) (x i)) / 3) = bound,
      forall r, rademacher_is 2 1 W 0 x r -> bound <= r
    & W * Num.sqrt 6 * Num.sqrt (2 * 1 / 3) < bound].
Proof. exact: three_points.three_points. Qed.

(* ==== Chapter 6 =========================================================== *)

Theorem ours_average_sensitivity_supremum (R : rcfType) (n s k : nat) (W B : R) :
    (1 <= n)%N -> (1 <= k)%N -> (k <= s)%N -> 0 <= W ->
  let bound := (minn (2 * k) s)%:R ^+ 2 * W ^+ 2 in
  let is_attained := exists N : network R 'I_n 'I_s,
    in_class k W B N /\ average_sensitivity (value N) = bound in
  [/\ forall N : network R 'I_n 'I_s, in_class k W B N -> average_sensitivity (value N) <= bound,
      W <= B -> is_attained,
      n = 1%N -> forall N : network R 'I_n 'I_s, in_class k W B N ->
        average_sensitivity (value N) <= (minn (2 * k) s)%:R ^+ 2 * ((W + B) / 2) ^+ 2
    & (2 <= n)%N -> (4 * k <= s)%N -> 0 <= B -> is_attained].
Proof.
move=> n_gt0 k_gt0 ks W_ge0 bound is_attained.
have [upper large many] := suprema.average_sensitivity_supremum B n_gt0 ks W_ge0.
split=> // n1; rewrite /is_attained {upper large many is_attained} n1 => N classN.
exact: suprema.average_sensitivity_one_bit (leq_trans k_gt0 ks) classN.
Qed.

Theorem ours_tail_exact (R : rcfType) (n s k d : nat) (W B : R) :
    (d.+1 <= n)%N -> (2 ^ d.+1 * k <= s)%N -> 0 <= W -> W * `|d%:R - 1| / Num.sqrt d.+1%:R <= B ->
  let bound := 4 * k%:R ^+ 2 * W ^+ 2 / d.+1%:R in
  (forall N : network R 'I_n 'I_s, in_class k W B N -> tail (value N) d <= bound)
  /\ exists (N : network R 'I_n 'I_s) (S : {set 'I_n}),
     [/\ in_class k W B N, #|S| = d.+1, tail (value N) d = bound
       & forall x, value N x = 2 * (W / Num.sqrt d.+1%:R) * k%:R * character R S x].
Proof. exact: suprema.tail_exact. Qed.

Theorem ours_average_sensitivity_nonnegative (R : realFieldType) (n s k : nat) (W B : R)
    (N : network R 'I_n 'I_s) : scale_at_most W B N -> (forall j, 0 <= outer N j) ->
  (sparse k N -> average_sensitivity (value N) <= 2 * k%:R ^+ 2 * W ^+ 2)
  /\ (forall A : cube 'I_n -> {set 'I_s},
        let uz x j := outer N j * preactivation N j (coord R x) in
        (forall x, are_largest k (uz x) (A x)) ->
      average_sensitivity (fun x => \sum_(j in A x) uz x j) <= 2 * k%:R ^+ 2 * W ^+ 2).
Proof.
move=> scaleN u_ge0; split=> [sparseN | A uz].
  exact: nonnegative.average_sensitivity_nonnegative scaleN u_ge0 sparseN.
exact: nonnegative.average_sensitivity_top_sum scaleN A.
Qed.

Theorem ours_average_sensitivity_lipschitz (R : realFieldType) (n s k : nat) :
  (forall (N : network R 'I_n 'I_s) (phi : R -> R) (W B L : R),
     (forall y z, `|phi y - phi z| <= L * `|y - z|) -> (forall z, z <= 0 -> phi z = 0) ->
     in_class k W B N ->
   average_sensitivity (fun x => value_with phi N (coord R x)) <= 4 * k%:R ^+ 2 * L ^+ 2 * W ^+ 2)
  /\ (forall (N M : network R 'I_n 'I_s) (U w v Y Z : R),
     let z j x := preactivation N j (coord R x) in
     let y j x := preactivation M j (coord R x) in
     sparse k N -> [/\ 0 <= w, 0 <= v, 0 <= Y & 0 <= Z] ->
     (forall j, [/\ `|outer N j| <= U, sqnorm (weight N j) <= w ^+ 2
                  & sqnorm (weight M j) <= v ^+ 2]) ->
     (forall j x, `|y j x| <= Y /\ relu (z j x) <= Z) ->
   average_sensitivity (fun x => \sum_j outer N j * (relu (z j x) * y j x))
     <= 4 * k%:R ^+ 2 * U ^+ 2 * (Y * w + Z * v) ^+ 2).
Proof.
split=> [N phi W B L phiL phi0 [sparseN scaleN] | N M U w v Y Z z y sparseN [w0 v0 Y0 Z0] bounds le].
  exact: sparse_networks.average_sensitivity_Lipschitz phiL phi0 sparseN scaleN.
apply: sparse_networks.average_sensitivity_gated => // [j|j|j|j x|j x];
  [by case: (bounds j) | by case: (bounds j) | by case: (bounds j) | exact: (le j x).1 | exact: (le j x).2].
Qed.

(* Layers are numbered from 0: (w l, b l, k l, W l) belong to layer l + 1 of   *)
(* the book, and D + 1 is its D.                                              *)
Theorem ours_average_sensitivity_depth (R : realFieldType) (width : nat -> nat) (D : nat)
    (w : forall l, 'I_(width l.+1) -> 'I_(width l) -> R) (b : forall l, 'I_(width l.+1) -> R)
    (u : 'I_(width D.+1) -> R) (k : nat -> nat) (W : nat -> R) (U : R) :
  let y l x := layer w b (D := l) (coord R x) in
  (forall j, `|u j| <= U) ->
  (forall l j, (l <= D)%N -> sqnorm (w l j) <= W l ^+ 2) ->
  (forall l x, (l <= D)%N -> (#|[set j | (0 < \sum_i w l j i * y l x i - b l j)%R]| <= k l)%N) ->
  average_sensitivity (fun x => \sum_j u j * y D.+1 x j)
    <= U ^+ 2 * (2 * k D)%:R * \prod_(l < D.+1) ((2 * k l)%:R * W l ^+ 2).
Proof. exact: depth.average_sensitivity_depth. Qed.

(* Finite support: coordinate i takes the value t i e with probability p i e. *)
Theorem ours_average_sensitivity_product (R : realFieldType) (n s k : nat) (W B : R)
    (N : network R 'I_n 'I_s) (A : finType) (t p : 'I_n -> A -> R) :
  let point (x : {ffun 'I_n -> A}) i := t i (x i) in
  let I_h := influence p (fun x => value_at N (point x)) in
  is_law p -> (forall i e, -1 <= t i e <= 1) -> scale_at_most W B N ->
  I_h <= 4 * W ^+ 2 * expectation p (fun x => #|active_at N (point x)|%:R ^+ 2)
  /\ ((forall x, 0 < product_law p x -> (#|active_at N (point x)| <= k)%N) ->
      I_h <= 4 * k%:R ^+ 2 * W ^+ 2).
Proof.
move=> point I_h law range scaleN; split=> [|sparseN].
  exact: (product_laws.influence_square law range scaleN).
exact: (product_laws.influence_le law range scaleN sparseN).
Qed.

(* Of z_1 = B0 + eta t and z_2 = B0 - eta t the larger one is kept, with u_1  *)
(* or u_2; W^2 = max(u_1^2, u_2^2) eta^2 n and k = 1.                         *)
Theorem ours_top_k_counterexample (R : realFieldType) (n : nat) : odd n ->
  let S : R := n%:R * 'C(n - 1, n./2)%:R * 2 / 2 ^+ n in
  let t (x : cube 'I_n) : R := \sum_i coord R x i in
  let h u1 u2 B0 eta x :=
    if B0 - eta * t x < B0 + eta * t x then u1 * (B0 + eta * t x) else u2 * (B0 - eta * t x) in
  (forall u1 u2 B0 eta, 0 < eta -> average_sensitivity (h u1 u2 B0 eta)
     = 4^-1 * (u1 - u2) ^+ 2 * (B0 + eta) ^+ 2 * S
       + 2^-1 * (u1 ^+ 2 + u2 ^+ 2) * eta ^+ 2 * (n%:R - S))
  /\ forall u1 u2 B0 c, u1 != u2 -> 0 < B0 -> exists eta, 0 < eta
     /\ c * (Num.max (u1 ^+ 2) (u2 ^+ 2) * (eta ^+ 2 * n%:R)) < average_sensitivity (h u1 u2 B0 eta).
Proof. exact: top_one.top_one. Qed.

(* The energy b^2 |w - v|^2, and what the letters cost of it. R is            *)
(* Archimedean where a scale has to come to its end.                          *)
Theorem ours_perceptron_cover (R : realFieldType) (n m : nat) (x : 'I_m -> 'I_n -> R)
    (w : 'I_n -> R) (b M : R) :
    0 < b -> (forall i, sqnorm (x i) <= b ^+ 2) -> sqnorm w * b ^+ 2 <= M ^+ 2 ->
  let energy word := sqnorm (fun a => w a - combination x b word a) * b ^+ 2 in
  [/\ forall word, is_run x b w word -> energy word + \sum_(l <- word) l.2 ^+ 2 <= M ^+ 2,
      0 < M -> forall word, is_run x b w word -> \sum_(l <- word) l.2 ^+ 2 < M ^+ 2,
      forall word word', perm_eq word word' -> combination x b word =1 combination x b word'
    & (forall z : R, exists c : nat, z <= c%:R) ->
      forall (L : nat) (gamma : nat -> R), (forall r, (r < L)%N -> 0 < gamma r) ->
      exists words : nat -> seq ('I_m * R), let upto r := flatten (mkseq words r) in
      [/\ forall r l, (r < L)%N -> l \in words r -> `|l.2| = gamma r, is_run x b w (upto L),
          \sum_(r < L) (size (words r))%:R * gamma r ^+ 2 <= M ^+ 2
        & forall r i, (r < L)%N -> `|gap x b w (upto r.+1) i| <= gamma r]].
Proof.
move=> b0 short scale energy; split=> [word all | M0 word all | word word' same a | arch L gamma gamma0].
- exact: le_trans (perceptron.energy_run b0 short all).1 scale.
- have [->|some] := eqVneq word [::]; first by rewrite big_nil exprn_gt0.
  apply: lt_le_trans scale; apply: le_lt_trans ((perceptron.energy_run b0 short all).2 some).
  by rewrite lerDr perceptron.energy_ge0.
- exact: perm_big.
have [words [sizes all cost small]] := perceptron.all_scales w b0 short arch gamma0.
exists words; split=> //; rewrite -cost.
apply: le_trans scale; apply: le_trans (perceptron.energy_run b0 short all).1.
by rewrite lerDr perceptron.energy_ge0.
Qed.

(* Steps 1 and 2, and the budget of the letters in step 4, with f = <w, x>.   *)
Theorem ours_theorem_e (R : realFieldType) (n m L : nat) (x : 'I_m -> 'I_n -> R)
    (w : 'I_n -> R) (b M : R) (gamma : nat -> R) :
    (forall z : R, exists c : nat, z <= c%:R) ->
    0 < b -> (forall i, sqnorm (x i) <= b ^+ 2) -> sqnorm w * b ^+ 2 <= M ^+ 2 ->
    (forall r, 0 < gamma r) -> (forall r, gamma r.+1 ^+ 2 = gamma r ^+ 2 / 2) ->
  exists words : nat -> seq ('I_m * R), let upto r := flatten (mkseq words r.+1) in
  let f i := \sum_a w a * x i a in
  let v r i := \sum_a combination x b (upto r) a * x i a in
  [/\ forall r l, (r < L)%N -> l \in words r -> `|l.2| = gamma r,
      forall r i, (r < L)%N -> gamma r < v r i -> 0 < f i,
      forall r i, (r < L)%N -> 2 * gamma r < f i -> gamma r < v r i
    & \sum_(r < L) gamma r ^+ 2 * (size (upto r))%:R <= 2 * M ^+ 2].
Proof. move=> arch b0 short scale; exact: perceptron.layers. Qed.

(* ==== Chapter 7 =========================================================== *)

(* The gradient of h at x is w^(R_x); the neurons of [changed N x i] are      *)
(* active at exactly one of x and x^(+i). The change of h along an edge; the  *)
(* chain through J, whichever cuts are used; and the terms of the right side. *)
Theorem ours_gradient (R : rcfType) (n s : nat) (N : network R 'I_n 'I_s) :
  let gradient x := piece_weight N (active N x) in
  let v j i := outer N j * weight N j i in
  let G := mean (fun x => sqnorm (gradient x)) in
  let V := mean (fun x => \sum_i (\sum_(j in changed N x i) `|v j i|) ^+ 2) in
  [/\ forall x i, exists theta : 'I_s -> R, (forall j, 0 <= theta j <= 1) /\
        value N x - value N (flip x i)
        = coord R x i * (gradient x i + gradient (flip x i) i)
          + 2 * coord R x i * \sum_(j in changed N x i) (theta j - 2^-1) * v j i,
      forall x i, exists m t, cuts N x i m t,
      forall m t, (forall x i, cuts N x i (m x i) (t x i)) ->
        let J := mean (fun x => \sum_i slope_square N x i (m x i) (t x i)) in
        average_sensitivity (value N) <= J /\ J <= (Num.sqrt G + Num.sqrt (V / 4)) ^+ 2
    & forall W B, scale_at_most W B N -> let square := mean (fun x => #|active N x|%:R ^+ 2) in
        G <= W ^+ 2 * square /\ V <= 4 * (W ^+ 2 * square)].
Proof.
move=> gradient v G V; split=> [x i | x i | m t cut J | W B scaleN].
- exact: gradient.gradient_identity_exists.
- exact: edges.cuts_exist.
- by split; [exact: edges.average_sensitivity_slopes | exact: edges.slopes_sqrt].
by split; [exact (gradient.mean_gradient scaleN) | exact (gradient.mean_changed scaleN)].
Qed.

(* Second part: a maximum of affine functions <a_l, x> - c_l, where best x is *)
(* one that attains it at x.                                                  *)
Theorem ours_gradient_nonnegative (R : realFieldType) (n : nat) :
  let bound (h : cube 'I_n -> R) gradient :=
    let squares := mean (fun x => \sum_i Num.max 0 (coord R x i * gradient x i) ^+ 2) in
    average_sensitivity h <= 2 * squares
    /\ 2 * squares <= 2 * mean (fun x => sqnorm (gradient x)) in
  (forall (s : nat) (N : network R 'I_n 'I_s), (forall j, 0 <= outer N j) ->
     bound (value N) (fun x => piece_weight N (active N x)))
  /\ (forall (K : Type) (a : K -> 'I_n -> R) (c : K -> R) (best : cube 'I_n -> K),
       let affine l x := \sum_i a l i * coord R x i - c l in
       (forall x l, affine l x <= affine (best x) x) ->
     bound (fun x => affine (best x) x) (fun x => a (best x))).
Proof.
move=> bound; split=> [s N u0 | K a c best affine best_max].
  split; first exact: gradient.average_sensitivity_gradient_nonnegative.
  exact: layers.rises_le_gradient.
by split; [apply: layers.sensitivity_maximum | apply: layers.rises_le_gradient].
Qed.

(* h = h_+ - h_-, the neurons with u_j > 0 and with u_j < 0, and [squares]    *)
(* is E |grad|^2. [norm_at_most N K A]: the matrix V_A of the rows v_j =      *)
(* u_j w_j, j in A, has |V_A|^2 <= K for the operator norm. Equality: for     *)
(* parities of d+1 bits on disjoint sets.                                     *)
Theorem ours_gradient_signs (R : rcfType) (n s : nat) :
  let squares (M : network R 'I_n 'I_s) := mean (fun x => sqnorm (piece_weight M (active M x))) in
  let norm_at_most (N : network R 'I_n 'I_s) K (A : {set 'I_s}) := forall a : 'I_s -> R,
    \sum_i (\sum_(j in A) a j * (outer N j * weight N j i)) ^+ 2 <= K * \sum_(j in A) a j ^+ 2 in
  (forall N : network R 'I_n 'I_s,
     let upper := Network (fun j => Num.max 0 (outer N j)) (weight N) (bias N) in
     let lower := Network (fun j => Num.max 0 (- outer N j)) (weight N) (bias N) in
     let AS := average_sensitivity (value N) in
     let both := squares upper + squares lower in
     [/\ forall x, value N x = value upper x - value lower x,
         Num.sqrt AS <= Num.sqrt 2 * (Num.sqrt (squares upper) + Num.sqrt (squares lower)),
         AS <= 4 * both,
         forall K : cube 'I_n -> R, (forall x, norm_at_most N (K x) (active N x)) ->
           both <= mean (fun x => K x * #|active N x|%:R)
       & (forall (k : nat) (K : R), sparse k N -> 0 <= K -> (forall x, norm_at_most N K (active N x)) ->
            AS <= 4 * (k%:R * K))
         /\ forall W B, scale_at_most W B N -> both <= W ^+ 2 * mean (fun x => #|active N x|%:R ^+ 2)])
  /\ forall (k d : nat) (W B : R), (k * d.+1 <= n)%N -> (k * 2 ^ d.+1 <= s)%N ->
       0 <= W -> W * `|d%:R - 1| / Num.sqrt d.+1%:R <= B ->
       exists N : network R 'I_n 'I_s,
         [/\ in_class k W B N, forall x, #|active N x| = k, forall x, norm_at_most N (W ^+ 2) (active N x)
           & average_sensitivity (value N) = 4 * (k%:R * W ^+ 2)].
Proof.
move=> squares norm_at_most; split=> [N upper lower AS both | k d W B kn ks W0 WB]; last first.
  exact: blocks.blocks_sensitivity kn ks.
split.
- exact: covariance.value_signs.
- exact: covariance.sensitivity_signs_sqrt.
- exact: covariance.sensitivity_signs.
- exact: covariance.squares_operator.
split=> [k K few K0 norm_K | W B scaleN]; last exact (covariance.squares_le scaleN).
apply: le_trans (covariance.sensitivity_signs N) _; rewrite ler_wpM2l ?ler0n // mulrC.
exact: covariance.squares_sparse.
Qed.

(* [G] as in ours_differences, and upper, lower as in ours_gradient_signs; C  *)
(* is the covariance of two activities, [same] its sum with <v_j, v_l> over   *)
(* the pairs of one sign, [trace] the trace of Cov(grad). Equality: for       *)
(* parities on disjoint sets, and for k copies of one parity.                 *)
Theorem ours_covariance (R : rcfType) (n s : nat) :
  let G (N : network R 'I_n 'I_s) :=
    \sum_i covariance (difference (value N) i) (difference (value N) i) in
  let trace (M : network R 'I_n 'I_s) :=
    \sum_i covariance (fun x => piece_weight M (active M x) i) (fun x => piece_weight M (active M x) i) in
  let C (N : network R 'I_n 'I_s) (j l : 'I_s) :=
    covariance (fun x => (j \in active N x)%:R : R) (fun x => (l \in active N x)%:R) in
  let product N (j l : 'I_s) := C N j l * \sum_i outer N j * weight N j i * (outer N l * weight N l i) in
  let same (N : network R 'I_n 'I_s) := \sum_j \sum_(l | 0 < outer N j * outer N l) product N j l in
  (forall N : network R 'I_n 'I_s,
     let upper := Network (fun j => Num.max 0 (outer N j)) (weight N) (bias N) in
     let lower := Network (fun j => Num.max 0 (- outer N j)) (weight N) (bias N) in
     let p (j : 'I_s) := probability R (fun x => j \in active N x) in
     let size := mean (fun x => #|active N x|%:R) in
     [/\ Num.sqrt (G N) <= Num.sqrt 2 * (Num.sqrt (trace upper) + Num.sqrt (trace lower)),
         trace upper + trace lower = same N /\ G N <= 4 * same N,
         (forall j, 0 <= outer N j) -> G N <= 2 * \sum_j \sum_l product N j l,
         forall K, (forall a : 'I_s -> R, \sum_i (\sum_j a j * (outer N j * weight N j i)) ^+ 2
                                          <= K * \sum_j a j ^+ 2) ->
           same N <= K * \sum_j p j * (1 - p j)
       & forall W B, scale_at_most W B N ->
           same N <= W ^+ 2 * mean (fun x => #|active N x|%:R ^+ 2)
           /\ forall rho d, (1 <= d)%N -> 0 <= rho ->
                (forall j l : 'I_s, j != l -> 0 < outer N j * outer N l ->
                   product N j l <= rho * p j * p l * W ^+ 2) ->
                [/\ same N <= W ^+ 2 * (size + rho * size ^+ 2),
                    tail (value N) d <= 4 * W ^+ 2 * (size + rho * size ^+ 2) / d.+1%:R
                  & forall k, sparse k N ->
                      tail (value N) d <= 4 * k%:R * W ^+ 2 * (1 + rho * k%:R) / d.+1%:R]])
  /\ forall (k d : nat) (W B : R), (1 <= d)%N -> 0 <= W -> W * `|d%:R - 1| / Num.sqrt d.+1%:R <= B ->
       ((k * d.+1 <= n)%N -> (k * 2 ^ d.+1 <= s)%N -> exists N : network R 'I_n 'I_s,
          [/\ in_class k W B N, forall x, #|active N x| = k, G N = 4 * same N,
              same N = k%:R * W ^+ 2 & tail (value N) d = 4 * k%:R * W ^+ 2 / d.+1%:R])
       /\ ((d.+1 <= n)%N -> (2 ^ d.+1 * k <= s)%N -> exists N : network R 'I_n 'I_s,
             [/\ in_class k W B N, G N = 4 * same N & same N = k%:R ^+ 2 * W ^+ 2]).
Proof.
move=> G trace C product same; split=> [N upper lower p size | k d W B d0 W0 WB]; last first.
  by split=> ? ?; [apply: blocks.blocks_covariance | apply: (blocks.copies_covariance (d := d))].
split.
- exact: covariance.variances_signs_sqrt.
- by split; [apply: covariance.trace_signs | apply: covariance.variances_same_sign].
- exact: covariance.variances_nonnegative.
- exact: covariance.same_sign_operator.
move=> W B scaleN; split=> [|rho d d0 rho0 pairs]; first exact (covariance.same_sign_square scaleN).
split=> [||k few].
- exact (covariance.same_sign_class scaleN rho0 pairs).
- exact (covariance.tail_class scaleN d0 rho0 pairs).
exact (covariance.tail_class_sparse scaleN few d0 rho0 pairs).
Qed.

(* Layers are numbered from 0, as in ours_average_sensitivity_depth.          *)
Theorem ours_trapezoid (R : realFieldType) (width : nat -> nat) (D : nat)
    (w : forall l, 'I_(width l.+1) -> 'I_(width l) -> R) (b : forall l, 'I_(width l.+1) -> R)
    (u : 'I_(width D) -> R) :
  let h p := \sum_j u j * layer w b p j in
  let z l p j := layer_preactivation w b (l := l) p j in
  (forall p, exists g, derivatives w b u p g)
  /\ forall p p' g g', derivatives w b u p g -> derivatives w b u p' g' ->
     h p - h p'
     = 2^-1 * (\sum_i (g 0%N i + g' 0%N i) * (p i - p' i))
       + 2^-1 * (\sum_(l < D) \sum_(j in layer_changed w b l p p')
                   (g' l.+1 j * `|z l p j| - g l.+1 j * `|z l p' j|)).
Proof.
by split=> [p | p p' g g' gp gp']; [apply: layers.derivatives_exist | apply: layers.trapezoid].
Qed.

Theorem ours_gradient_depth (R : rcfType) (width : nat -> nat) (D : nat)
    (w : forall l, 'I_(width l.+1) -> 'I_(width l) -> R) (b : forall l, 'I_(width l.+1) -> R)
    (u : 'I_(width D) -> R) (g : cube 'I_(width 0%N) -> forall l, 'I_(width l) -> R) :
    (forall x, derivatives w b u (coord R x) (g x)) ->
  let h x := \sum_j u j * layer w b (coord R x) j in
  let z l x j := layer_preactivation w b (l := l) (coord R x) j in
  let gradient x := g x 0%N in
  let switches x i := \sum_(l < D)
    \sum_(j in layer_changed w b l (coord R x) (coord R (flip x i)))
      (`|g (flip x i) l.+1 j| * `|z l x j| + `|g x l.+1 j| * `|z l (flip x i) j|) in
  let G := mean (fun x => sqnorm (gradient x)) in
  let V := mean (fun x => sqnorm (switches x)) in
  (forall t, 0 < t -> average_sensitivity h <= (1 + t) * G + (1 + t^-1) / 16 * V)
  /\ average_sensitivity h <= (Num.sqrt G + 4^-1 * Num.sqrt V) ^+ 2.
Proof.
move=> g_x h z gradient switches G V; split=> [t t0 |].
  exact (layers.average_sensitivity_layers g_x t0).
exact (layers.average_sensitivity_layers_sqrt g_x).
Qed.

Theorem ours_depth_convex (R : realFieldType) (width : nat -> nat) (D : nat)
    (w : forall l, 'I_(width l.+1) -> 'I_(width l) -> R) (b : forall l, 'I_(width l.+1) -> R)
    (u : 'I_(width D.+1) -> R) (g : cube 'I_(width 0%N) -> forall l, 'I_(width l) -> R)
    (k : nat -> nat) (W : nat -> R) (U : R) :
  (forall x, derivatives w b u (coord R x) (g x)) ->
  (forall j, 0 <= u j <= U) ->
  (forall l j i, (1 <= l <= D)%N -> 0 <= w l j i) ->
  (forall l j, (l <= D)%N -> sqnorm (w l j) <= W l ^+ 2) ->
  (forall l x, (l <= D)%N -> (#|layer_active w b l (coord R x)| <= k l)%N) ->
  let h x := \sum_j u j * layer w b (coord R x) j in
  let gradient x := g x 0%N in
  [/\ average_sensitivity h
        <= 2 * mean (fun x => \sum_i Num.max 0 (coord R x i * gradient x i) ^+ 2),
      average_sensitivity h <= 2 * mean (fun x => sqnorm (gradient x))
    & 2 * mean (fun x => sqnorm (gradient x))
        <= 2 * U ^+ 2 * (k D)%:R * \prod_(l < D.+1) ((k l)%:R * W l ^+ 2)].
Proof.
move=> g_x uU w0 wW few h gradient.
have u0 j : 0 <= u j by case/andP: (uU j).
have uU' j : `|u j| <= U by rewrite ger0_norm //; case/andP: (uU j).
have first := layers.average_sensitivity_convex g_x u0 w0; split=> //.
  exact: le_trans first (layers.rises_le_gradient gradient).
rewrite -[2 * U ^+ 2 * _]mulrA -[leRHS]mulrA ler_wpM2l ?ler0n //; apply: cube.mean_le_const => x.
exact: (layers.gradient_size g_x uU' wW few x).
Qed.

Theorem ours_depth_supremum (R : rcfType) (width k : nat -> nat) (D : nat) (W : nat -> R) (U : R) :
    (1 <= width 0)%N -> (forall l, 1 <= k l <= width l.+1)%N -> (forall l, 0 <= W l) -> 0 <= U ->
  let m l := minn (2 * k l) (width l.+1) in
  let admissible (w : forall l, 'I_(width l.+1) -> 'I_(width l) -> R) b u :=
    [/\ forall j, `|u j| <= U, forall l j, (l <= D)%N -> sqnorm (w l j) <= W l ^+ 2
      & forall l x, (l <= D)%N -> (#|layer_active w b l (coord R x)| <= k l)%N] in
  let AS w b u := average_sensitivity (fun x => \sum_j u j * layer w b (D := D.+1) (coord R x) j) in
  let bound := U ^+ 2 * (m D)%:R * \prod_(l < D.+1) ((m l)%:R * W l ^+ 2) in
  (forall w b u, admissible w b u -> AS w b u <= bound)
  /\ exists w b u, admissible w b u /\ AS w b u = bound.
Proof.
move=> width0 kw W0 U0 m admissible AS bound; rewrite /bound exceptions.regroup.
have k0 l : (0 < k l)%N by case/andP: (kw l).
have kw' l : (k l <= width l.+1)%N by case/andP: (kw l).
split=> [w b u [uU wW few] |]; first exact (exceptions.average_sensitivity_layers_min uU wW few).
exists (steepest.steep_weight k W), (steepest.steep_bias k W), (steepest.steep_outer k U).
split; last exact (steepest.steep_sensitivity D U width0 k0 kw' W0).
split=> [j | l j _ | l x _]; first exact: steepest.steep_outer_le.
  exact: (steepest.steep_row W width0 k0 kw' j).
exact: steepest.steep_active.
Qed.

Theorem ours_soft_sparsity (R : rcfType) (width : nat -> nat) (D : nat) (W : nat -> R) (U : R) :
  let weights := forall l, 'I_(width l.+1) -> 'I_(width l) -> R in
  let admissible (w : weights) u :=
    (forall j, `|u j| <= U) /\ forall l j, (l <= D)%N -> sqnorm (w l j) <= W l ^+ 2 in
  let AS (w : weights) b u :=
    average_sensitivity (fun x => \sum_j u j * layer w b (D := D.+1) (coord R x) j) in
  let exceptions (k : nat -> nat) (w : weights) b :=
    probability R (fun x => [exists l : 'I_D.+1, (k l < #|layer_active w b l (coord R x)|)%N]) in
  let scale := U ^+ 2 * \prod_(l < D.+1) W l ^+ 2 in
  let first (k : nat -> nat) := (2 * k D * \prod_(l < D.+1) (2 * k l))%:R in
  let second eta := 2 * eta * (width D.+1 * \prod_(l < D.+1) width l.+1)%:R in
  [/\ forall k w b u eta, admissible w u -> exceptions k w b <= eta ->
        AS w b u <= scale * (first k + second eta),
      forall k, (1 <= width 0)%N -> (forall l, 1 <= k l)%N -> (forall l, 2 * k l <= width l.+1)%N ->
        (forall l, 0 <= W l) -> 0 <= U ->
        exists w b u, [/\ admissible w u, exceptions k w b = 0 & AS w b u = scale * first k]
    & (forall l, 1 <= width l)%N -> (forall l, 0 < W l) -> 0 <= U ->
      exists w b u, [/\ admissible w u, exceptions (fun=> 0%N) w b = 2 ^- width 0%N
                      & AS w b u = scale * second (2 ^- width 0%N)]].
Proof.
move=> weights admissible AS exceptions scale first second; split.
- move=> k w b u eta [uU wW] rarely.
  apply: le_trans (exceptions.average_sensitivity_exceptions_layers b uU wW k) _.
  have scale0 : 0 <= scale.
    by apply: mulr_ge0; [exact: sqr_ge0 | apply: prodr_ge0 => l _; exact: sqr_ge0].
  apply: ler_wpM2l scale0 _ _ _; by rewrite lerD2l ler_wpM2r ?ler0n // ler_wpM2l ?ler0n.
- move=> k width0 k0 kw W0 U0.
  have kw' l : (k l <= width l.+1)%N by rewrite (leq_trans _ (kw l)) // leq_pmull.
  have two l : minn (2 * k l) (width l.+1) = (2 * k l)%N by apply/minn_idPl/kw.
  exists (steepest.steep_weight k W), (steepest.steep_bias k W), (steepest.steep_outer k U).
  have few l x := steepest.steep_active width0 k0 kw' W0 l x.
  split.
  + by split=> [j | l j _]; [apply: steepest.steep_outer_le | apply: (steepest.steep_row W width0 k0 kw' j)].
  + rewrite /exceptions /probability.
    transitivity (mean (fun _ : cube 'I_(width 0%N) => 0 : R)); last exact: cube.mean_const.
    by apply: cube.eq_mean => x; case: existsP => // -[l]; rewrite ltnNge few.
  rewrite /AS (steepest.steep_sensitivity D U width0 k0 kw' W0) /scale /first /steepest.two_sided.
  rewrite two.
  by have -> : (\prod_(l < D.+1) minn (2 * k l) (width l.+1) = \prod_(l < D.+1) (2 * k l))%N
    by apply: eq_bigr => l _; apply: two.
move=> width0 W0 U0.
exists (steepest.corner_weight W), (steepest.corner_bias W), (fun=> U); split.
+ by split=> [j | l j _]; [rewrite ger0_norm | apply: steepest.corner_norm].
+ exact: steepest.corner_probability.
exact: steepest.corner_sensitivity.
Qed.

(* For every f with the three properties that f(q) = q^(2-p) has for          *)
(* 1 <= p <= 2, with K = 2 (s/2)^(2-p); then |R|^2 / f(|R|) = |R|^p.          *)
Theorem ours_moments (R : realFieldType) (s : nat) :
  [/\ forall (n : nat) (W B K : R) (N : network R 'I_n 'I_s) (f : nat -> R), scale_at_most W B N ->
        0 <= f 0%N -> (forall q, (1 <= q)%N -> 0 < f q) ->
        (forall q r, (1 <= q)%N -> (q <= r)%N -> q%:R / f q <= r%:R / f r) ->
        (forall q r, (q + r <= s)%N -> f q + f r <= K) ->
        average_sensitivity (value N)
        <= 2 * K * W ^+ 2 * mean (fun x => #|active N x|%:R ^+ 2 / f #|active N x|),
      forall (n : nat) (W B : R) (N : network R 'I_n 'I_s), scale_at_most W B N ->
        average_sensitivity (value N)
        <= W ^+ 2 * Num.min (4 * mean (fun x => #|active N x|%:R ^+ 2))
             (Num.min (2 * s%:R * mean (fun x => #|active N x|%:R)) (s%:R ^+ 2))
    & forall (m : nat) (W : R), s = (2 * m)%N -> 0 < W ->
        exists N : network R 'I_1 'I_s,
          [/\ scale_at_most W W N, forall x, #|active N x| = m
            & average_sensitivity (value N) = s%:R ^+ 2 * W ^+ 2]].
Proof.
split=> [n W B K N f scaleN f0 f_gt0 f_mono f_le | n W B N scaleN | m W -> W0].
- by apply: (moments.average_sensitivity_moment scaleN) => // q r; rewrite card_ord; apply: f_le.
- exact: moments.average_sensitivity_moments scaleN.
exact: moments.moments_attained.
Qed.

Theorem ours_nonnegative_sharp (R : rcfType) :
  (forall (n s k : nat) (W B : R) (N : network R 'I_n 'I_s), in_class k W B N ->
     (forall j, 0 <= outer N j) -> average_sensitivity (value N) <= 2 * (k%:R ^+ 2 * W ^+ 2))
  /\ exists N : network R 'I_5 'I_9,
     [/\ in_class 1 1 5 N, forall j, 0 <= outer N j,
         average_sensitivity (value N) = 3 / 2 - (Num.sqrt 5)^-1
       & 1 < average_sensitivity (value N)].
Proof.
split=> [n s k W B N [sparseN scaleN] u0 |].
  by rewrite mulrA; apply: (nonnegative.average_sensitivity_nonnegative scaleN u0 sparseN).
have [N [classN u0 AS_N]] := sharp.five_bits_nine_neurons R.
by exists N; split=> //; rewrite AS_N sharp.above_one.
Qed.

(* S splits T if T lies neither in S nor outside S.                           *)
Theorem ours_exchange (R : realFieldType) (n : nat) (A : finType) (p : 'I_n -> A -> R)
    (f : {ffun 'I_n -> A} -> R) : is_law p ->
  let E := expectation p in
  let D S x y := f x + f y - f (mix S x y) - f (mix S y x) in
  [/\ forall x, f x = \sum_(T : {set 'I_n}) term p f T x,
      forall T T' : {set 'I_n}, T != T' -> E (fun x => term p f T x * term p f T' x) = 0
    & forall S : {set 'I_n}, E (fun x => E (fun y => D S x y ^+ 2)) / 4
        = \sum_(T : {set 'I_n} | ~~ (T \subset S) && ~~ (T \subset ~: S)) term_variance p f T].
Proof.
move=> law E D; split=> [x | T T' TT' | S]; first exact: (exchange.decomposition law).
  exact: (exchange.term_orthogonal law).
rewrite [LHS]exchange.block_lemma; apply: eq_bigr => T _; exact/esym/(exchange.term_sqr law).
Qed.

(* The mean over all S of half of the coordinates.                            *)
Theorem ours_exchange_half (R : realFieldType) (n m : nat) (A : finType) (p : 'I_n -> A -> R)
    (f : {ffun 'I_n -> A} -> R) : is_law p -> n = (2 * m)%N -> (1 <= m)%N ->
  let E := expectation p in
  let D S x y := f x + f y - f (mix S x y) - f (mix S y x) in
  let halves := [set S : {set 'I_n} | #|S| == m] in
  let average := (\sum_(S in halves) E (fun x => E (fun y => D S x y ^+ 2)) / 4) / #|halves|%:R in
  let W := interactions p f in
  let rest a c := E (fun x => (f x - additive_sum a c x) ^+ 2) in
  [/\ forall a c, W <= rest a c, exists a c, rest a c = W,
      m%:R / (2 * m - 1)%:R * W <= average <= W
    & (forall T : {set 'I_n}, (2 < #|T|)%N -> term_variance p f T = 0) ->
      average = m%:R / (2 * m - 1)%:R * W].
Proof.
move=> law n2m m1 E D halves average W rest; have card : #|'I_n| = (2 * m)%N by rewrite card_ord.
split; [exact: exchange.interactions_le | exact: exchange.interactions_attained | |].
  exact: exchange.exchange_halves.
move=> pairs; apply: exchange.exchange_halves_pairs => // T T2.
by rewrite -(exchange.term_sqr law); apply: pairs.
Qed.

(* c i is the colour of coordinate i, one of q; cs is a list of colourings, in *)
(* which each two coordinates have different colours in a part of them that   *)
(* is at least a number.                                                      *)
Theorem ours_colours (R : realFieldType) (n q : nat) (A : finType) (p : 'I_n -> A -> R)
    (f : {ffun 'I_n -> A} -> R) : is_law p ->
  let E := expectation p in
  let class (c : 'I_n -> 'I_q) k := [set i | c i == k] in
  let T (c : 'I_n -> 'I_q) x y := (1 - q%:R / 4) * (f x - f y) ^+ 2 / 2
    + \sum_k ((f (mix (class c k) x y) - f (mix (class c k) y x)) ^+ 2 / 8
               - (f x - f (mix (class c k) x y)) * (f (mix (class c k) y x) - f y) / 2) in
  let mean_T c := E (fun x => E (fun y => T c x y)) in
  (forall c, mean_T c = \sum_(S : {set 'I_n} | (1 < #|c @: S|)%N) term_variance p f S)
  /\ forall (m : nat) (cs : 'I_m -> 'I_n -> 'I_q) (chance : R), (1 <= m)%N ->
       (forall i l, i != l -> chance * m%:R <= #|[set s | cs s i != cs s l]|%:R) ->
       chance * interactions p f <= (\sum_s mean_T (cs s)) / m%:R <= interactions p f.
Proof.
move=> law E class T mean_T; have all_T c : mean_T c = exchange.coloured p f c.
  by rewrite /mean_T /T /exchange.coloured card_ord.
split=> [c | m cs chance m1 often].
  by rewrite all_T exchange.colour_lemma; apply: eq_bigr => S _; apply/esym/(exchange.term_sqr law).
under eq_bigr => s _ do rewrite all_T.
rewrite -[m in _ / m%:R]card_ord; apply: (exchange.exchange_colours law); first by rewrite card_ord.
by move=> i l il; rewrite card_ord; apply: often.
Qed.

(* ==== Chapter 8 =========================================================== *)

Theorem ours_one_wrong_bit (R : realFieldType) (n s : nat) (N : network R 'I_n 'I_s)
    (j : 'I_s) (c : 'I_n) : let w := weight N j in let b := bias N j in
  (forall x : cube 'I_n, coord R x c * w c < 0 -> norm1 w - b <= 2 * `|w c| ->
     j \notin active N x)
  /\ (w c != 0 -> 2 * `|w c| < norm1 w - b ->
     exists x : cube 'I_n, coord R x c * w c < 0 /\ j \in active N x).
Proof. exact: inference.one_wrong_bit. Qed.

Theorem ours_early_exit (R : realFieldType) (n s : nat) (N : network R 'I_n 'I_s)
    (j : 'I_s) (C : {set 'I_n}) (x : cube 'I_n) :
  (forall y : cube 'I_n, {in C, x =1 y} -> j \notin active N y)
  <-> \sum_(c in C) weight N j c * coord R x c + \sum_(c | c \notin C) `|weight N j c| <= bias N j.
Proof. exact: inference.early_exit. Qed.

(* ==== Chapter 9 =========================================================== *)

Theorem ours_random_signs (R : realFieldType) (n s : nat) (f : 'I_s -> cube 'I_n -> R) :
  let h u x := \sum_j coord R u j * f j x in
  let variance g := mean (fun x => g x ^+ 2) - mean g ^+ 2 in
  let weight d g := \sum_(T : {set 'I_n} | #|T| == d) fourier g T ^+ 2 in
  [/\ mean (fun u => average_sensitivity (h u)) = \sum_j average_sensitivity (f j),
      forall rho, mean (fun u => noise_sensitivity rho (h u)) = \sum_j noise_sensitivity rho (f j),
      mean (fun u => variance (h u)) = \sum_j variance (f j)
    & forall d, mean (fun u => weight d (h u)) = \sum_j weight d (f j)].
Proof.
split=> [| rho || d]; first exact: signs.average_sensitivity_signs.
- exact: signs.noise_signs.
- exact: signs.variance_signs.
exact: signs.weight_signs.
Qed.
