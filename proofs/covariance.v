(* Networks as differences h = h_+ - h_- of convex ones, by the signs of the  *)
(* output weights. With grad h_+, grad h_- at single points only,             *)
(*     sqrt(AS(h)) <= sqrt(2) (sqrt(E|grad h_+|^2) + sqrt(E|grad h_-|^2)),    *)
(* and the same for G(h) = AS(h) - W^1(h) with variances in place of squares: *)
(* an affine function c changes f - c but not G. So covariances of neurons    *)
(* bound G(h).                                                                *)

From mathcomp Require Import all_ssreflect ssralg ssrnum.
From SparseNetworks Require Import compat identities definitions cube fourier network average_sensitivity.
From SparseNetworks Require Import gradient layers differences.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Lemma sub_swap (R : realFieldType) (a b c d : R) : a - b - (c - d) = a - c - (b - d).
Proof. by rewrite !opprB addrACA [RHS]addrACA [- b + _]addrC. Qed.

Section Covariance.

Variables (R : realFieldType) (I : finType).
Implicit Types (f g : cube I -> R) (x : cube I) (i : I) (c : I -> R).

(* ---- Covariances --------------------------------------------------------- *)

Lemma meanZr f (a : R) : mean (fun x => f x * a) = mean f * a.
Proof. by rewrite mulrC -meanZ; apply: eq_mean => x; rewrite mulrC. Qed.

Lemma eq_covariance f f' g g' : f =1 f' -> g =1 g' -> covariance f g = covariance f' g'.
Proof.
move=> ff gg; rewrite /covariance (eq_mean ff) (eq_mean gg); congr (_ - _).
by apply: eq_mean => x; rewrite ff gg.
Qed.

(* E(f - a)^2 is least for a = E f.                                           *)
Lemma mean_sqr_shift f (a : R) : mean (fun x => (f x - a) ^+ 2) = covariance f f + (mean f - a) ^+ 2.
Proof.
under eq_mean => x do rewrite expand_loss expr2.
by rewrite !meanD meanN mean_const meanZ meanZr expand_loss [mean f ^+ 2]expr2 [RHS]addrA subrK.
Qed.

Lemma covariance_ge0 f : 0 <= covariance f f.
Proof.
have := mean_sqr_shift f (mean f); rewrite subrr expr0n addr0 => <-.
by rewrite -[leLHS](mean_const I); apply: mean_le => x; apply: sqr_ge0.
Qed.

Lemma covariance_sum (K : finType) (a : K -> R) (F : K -> cube I -> R) :
  let f x := \sum_k a k * F k x in
  covariance f f = \sum_j \sum_k a j * a k * covariance (F j) (F k).
Proof.
have mean_f : mean (fun x => \sum_k a k * F k x) = \sum_k a k * mean (F k).
  by rewrite mean_sum; apply: eq_bigr => k _; rewrite meanZ.
rewrite /covariance mean_f big_distrlr /=; under eq_mean => x do rewrite big_distrlr /=.
rewrite mean_sum -sumrB; apply: eq_bigr => j _; rewrite mean_sum -sumrB; apply: eq_bigr => k _.
rewrite [X in _ - X = _]mulrACA [RHS]mulrBr; congr (_ - _).
by rewrite -meanZ; apply: eq_mean => x; rewrite mulrACA.
Qed.

(* ---- Affine functions do not change G ------------------------------------ *)

Definition linear c x : R := \sum_i c i * coord R x i.

Lemma linear_flip c x i : linear c x - linear c (flip x i) = 2%:R * (coord R x i * c i).
Proof.
rewrite -sumrB (bigD1 i) //= big1 ?addr0 => [|l li]; last by rewrite (coord_flip_off R x li) subrr.
by rewrite coord_flip eqxx mulrN opprK -mulr2n mulr_natl mulrC.
Qed.

Lemma difference_shift f c i x : difference (fun y => f y - linear c y) i x = difference f i x - c i.
Proof.
rewrite /difference sub_swap linear_flip mulrBr mulrBl [2%:R * _]mulrC !mulrA coord_sqr mul1r.
by rewrite mulfK ?pnatr_eq0.
Qed.

Lemma variances_le_shift f c : variances f <= average_sensitivity (fun x => f x - linear c x).
Proof.
rewrite average_sensitivity_differences; apply: ler_sum => i _.
under [leRHS]eq_mean => x do rewrite difference_shift.
by rewrite mean_sqr_shift lerDl sqr_ge0.
Qed.

(* ---- Convex functions, with slopes d ------------------------------------- *)

Definition falls f (d : cube I -> I -> R) :=
  forall x i, f x - f (flip x i) <= 2%:R * (coord R x i * d x i).
Definition trace (d : cube I -> I -> R) : R := \sum_i covariance (d^~ i) (d^~ i).

Lemma shift_le f d c : falls f d ->
  average_sensitivity (fun x => f x - linear c x) <= 2%:R * mean (fun x => \sum_i (d x i - c i) ^+ 2).
Proof.
move=> fall; pose e x i := d x i - c i.
apply: le_trans (sensitivity_one_sided (a := fun x i => coord R x i * e x i) _) (rises_le_gradient e) => x i.
by rewrite sub_swap linear_flip /e mulrBr mulrBr lerD2r; apply: fall.
Qed.

Lemma trace_le_squares d : trace d <= mean (fun x => sqnorm (d x)).
Proof.
rewrite mean_sum; apply: ler_sum => i _; rewrite /covariance lerBlDr.
by under eq_mean => x do rewrite -expr2; rewrite lerDl -expr2 sqr_ge0.
Qed.

Lemma mean_shift_trace d : mean (fun x => \sum_i (d x i - mean (d^~ i)) ^+ 2) = trace d.
Proof.
rewrite mean_sum; apply: eq_bigr => i _.
by rewrite mean_sqr_shift subrr expr0n addr0.
Qed.

Theorem variances_convex f d : falls f d -> variances f <= 2%:R * trace d.
Proof.
move=> fall; rewrite -mean_shift_trace; apply: le_trans (shift_le _ fall).
exact: variances_le_shift.
Qed.

(* ---- Differences of two convex functions --------------------------------- *)

Lemma sensitivity_sub f g t : 0 < t -> average_sensitivity (fun x => f x - g x)
  <= (1 + t) * average_sensitivity f + (1 + t^-1) * average_sensitivity g.
Proof.
move=> t0; rewrite -!meanZ -meanD; apply: mean_le => x; rewrite !mulr_sumr -big_split /=.
apply: ler_sum => i _; rewrite [X in _ <= X + _]mulrA [X in _ <= _ + X]mulrA -mulrDl ler_pM2r ?invr_gt0 ?ltr0n //.
rewrite sub_swap -[(g x - _) ^+ 2]sqrrN; exact: sqr_add_weighted.
Qed.

Variables (h p m : cube I -> R) (dp dm : cube I -> I -> R) (t : R).
Hypotheses (hE : forall x, h x = p x - m x) (fall_p : falls p dp) (fall_m : falls m dm) (t0 : 0 < t).

Lemma shift_sub c c' : average_sensitivity (fun x => h x - linear (fun i => c i - c' i) x)
  <= (1 + t) * (2%:R * mean (fun x => \sum_i (dp x i - c i) ^+ 2))
     + (1 + t^-1) * (2%:R * mean (fun x => \sum_i (dm x i - c' i) ^+ 2)).
Proof.
have t1 : 0 <= 1 + t by rewrite addr_ge0 ?ler01 ?ltW.
have t1V : 0 <= 1 + t^-1 by rewrite addr_ge0 ?ler01 ?invr_ge0 ?ltW.
have split_x x : h x - linear (fun i => c i - c' i) x = p x - linear c x - (m x - linear c' x).
  have -> : linear (fun i => c i - c' i) x = linear c x - linear c' x.
    by rewrite -sumrB; apply: eq_bigr => i _; rewrite mulrBl.
  by rewrite hE sub_swap.
rewrite (eq_average_sensitivity split_x); apply: le_trans (sensitivity_sub _ _ t0) _.
by apply: lerD; [rewrite ler_wpM2l // shift_le | rewrite ler_wpM2l // shift_le].
Qed.

Theorem sensitivity_split_signs : average_sensitivity h
  <= (1 + t) * (2%:R * mean (fun x => sqnorm (dp x))) + (1 + t^-1) * (2%:R * mean (fun x => sqnorm (dm x))).
Proof.
have := shift_sub (fun=> 0) (fun=> 0).
have zero d : mean (fun x => \sum_i (d x i - 0) ^+ 2) = mean (fun x => sqnorm (d x)).
  by apply: eq_mean => x; apply: eq_bigr => i _; rewrite subr0.
rewrite !zero; congr (_ <= _); apply: eq_average_sensitivity => x.
by rewrite /linear big1 ?subr0 // => i _; rewrite mul0r.
Qed.

Theorem variances_split_signs :
  variances h <= (1 + t) * (2%:R * trace dp) + (1 + t^-1) * (2%:R * trace dm).
Proof.
rewrite -!mean_shift_trace; apply: le_trans _ (shift_sub (fun i => mean (dp^~ i)) (fun i => mean (dm^~ i))).
exact: variances_le_shift.
Qed.

End Covariance.

(* ---- Networks ------------------------------------------------------------ *)

Section Signs.

Variables (R : realFieldType) (I J : finType) (N : network R I J).
Implicit Types (x : cube I) (i : I) (j l : J).

Definition upper := Network (fun j => Num.max 0 (outer N j)) (weight N) (bias N).
Definition lower := Network (fun j => Num.max 0 (- outer N j)) (weight N) (bias N).

Local Notation v j i := (outer N j * weight N j i).
Local Notation indicator j := (fun x => (j \in active N x)%:R : R).
Local Notation C j l := (covariance (indicator j) (indicator l)).
Local Notation inner j l := (\sum_i v j i * v l i).

Definition same_sign : R := \sum_j \sum_(l | 0 < outer N j * outer N l) C j l * inner j l.

Lemma max_split (u : R) : Num.max 0 u - Num.max 0 (- u) = u.
Proof.
case: (leP 0 u) => u0; first by rewrite max_l ?subr0 // oppr_le0.
by rewrite max_r ?sub0r ?opprK // oppr_ge0 ltW.
Qed.

Lemma value_signs x : value N x = value upper x - value lower x.
Proof.
by rewrite -sumrB; apply: eq_bigr => j _; rewrite -mulrBl /= max_split.
Qed.

Lemma upper_falls : falls (value upper) (gradient upper).
Proof. by apply: change_le_gradient => j; rewrite /= le_max lexx. Qed.

Lemma lower_falls : falls (value lower) (gradient lower).
Proof. by apply: change_le_gradient => j; rewrite /= le_max lexx. Qed.

Lemma one_two (a b : R) : (1 + 1) * (2%:R * a) + (1 + 1^-1) * (2%:R * b) = 4%:R * (a + b).
Proof. by rewrite invr1 -mulrDr -mulrDr mulrA -[1 + 1]mulr2n four expr2. Qed.

Definition squares : R :=
  mean (fun x => sqnorm (gradient upper x)) + mean (fun x => sqnorm (gradient lower x)).

Theorem sensitivity_signs : average_sensitivity (value N) <= 4%:R * squares.
Proof. by rewrite -one_two; apply: sensitivity_split_signs value_signs upper_falls lower_falls ltr01. Qed.

Theorem variances_signs :
  variances (value N) <= 4%:R * (trace (gradient upper) + trace (gradient lower)).
Proof. by rewrite -one_two; apply: variances_split_signs value_signs upper_falls lower_falls ltr01. Qed.

(* ---- Operator norms ------------------------------------------------------ *)

(* Gradients as sums over all neurons, with b_j = [u_j > 0] or - [u_j < 0].   *)
Let plus j : R := (0 < outer N j)%R%:R.
Let minus j : R := - (outer N j < 0)%R%:R.
Let null j : R := (outer N j == 0)%R%:R.

Lemma max_plus j : Num.max 0 (outer N j) = plus j * outer N j.
Proof. by rewrite /plus; case: (ltrP 0 (outer N j)); rewrite ?mul1r ?mul0r. Qed.

Lemma max_minus j : Num.max 0 (- outer N j) = minus j * outer N j.
Proof.
rewrite /minus mulNr -oppr_gt0; case: (ltrP 0 (- outer N j)); rewrite ?mul1r ?mul0r ?oppr0 //.
Qed.

Lemma signs_sqr j : plus j ^+ 2 + minus j ^+ 2 + null j ^+ 2 = 1.
Proof.
by rewrite /plus /minus /null; case: (ltrgtP (outer N j) 0) => _;
  rewrite ?oppr0 ?sqrrN ?expr0n ?expr1n ?addr0 ?add0r.
Qed.

Lemma gradient_upper x i : gradient upper x i = \sum_(j in active N x) plus j * v j i.
Proof. by apply: eq_bigr => j _; rewrite /= max_plus mulrA. Qed.

Lemma gradient_lower x i : gradient lower x i = \sum_(j in active N x) minus j * v j i.
Proof. by apply: eq_bigr => j _; rewrite /= max_minus mulrA. Qed.

Theorem operator_norm_active x (K : R) :
    (forall a : J -> R, \sum_i (\sum_(j in active N x) a j * v j i) ^+ 2
                        <= K * \sum_(j in active N x) a j ^+ 2) ->
  sqnorm (gradient upper x) + sqnorm (gradient lower x) <= K * #|active N x|%:R.
Proof.
move=> norm_K.
have -> : #|active N x|%:R = \sum_(j in active N x) plus j ^+ 2 + \sum_(j in active N x) minus j ^+ 2
    + \sum_(j in active N x) null j ^+ 2 :> R.
  by rewrite -!big_split /= -sum1_card natr_sum; apply: eq_bigr => j _; rewrite signs_sqr.
rewrite !mulrDr -[leLHS]addr0; apply: lerD; last first.
  by apply: le_trans (norm_K null); apply: sumr_ge0 => i _; apply: sqr_ge0.
by apply: lerD; [apply: le_trans (norm_K plus) | apply: le_trans (norm_K minus)];
  rewrite le_eqVlt; apply/orP; left; apply/eqP/eq_bigr => i _; rewrite ?gradient_upper ?gradient_lower.
Qed.

Theorem squares_operator (K : cube I -> R) :
    (forall x (a : J -> R), \sum_i (\sum_(j in active N x) a j * v j i) ^+ 2
                            <= K x * \sum_(j in active N x) a j ^+ 2) ->
  squares <= mean (fun x => K x * #|active N x|%:R).
Proof. by move=> norm_K; rewrite /squares -meanD; apply: mean_le => x; apply: operator_norm_active. Qed.

Theorem squares_sparse (k : nat) (K : R) : 0 <= K -> sparse k N ->
    (forall x (a : J -> R), \sum_i (\sum_(j in active N x) a j * v j i) ^+ 2
                            <= K * \sum_(j in active N x) a j ^+ 2) ->
  squares <= K * k%:R.
Proof.
move=> K0 few norm_K; apply: le_trans (squares_operator norm_K) _.
by apply: mean_le_const => x; rewrite ler_wpM2l // ler_nat few.
Qed.

(* ---- Covariances of neurons ---------------------------------------------- *)

Lemma trace_sum (b : J -> R) :
  trace (fun x i => \sum_(j in active N x) b j * v j i)
  = \sum_j \sum_l b j * b l * (C j l * inner j l).
Proof.
rewrite /trace; transitivity (\sum_i \sum_j \sum_l b j * v j i * (b l * v l i) * C j l).
  apply: eq_bigr => i _; rewrite -(covariance_sum (fun j => b j * v j i) (fun j => indicator j)).
  have E x : \sum_(j in active N x) b j * v j i = \sum_j b j * v j i * (j \in active N x)%:R.
    by rewrite big_mkcond; apply: eq_bigr => j _; case: ifP; rewrite ?mulr1 ?mulr0.
  exact: eq_covariance.
rewrite exchange_big; apply: eq_bigr => j _; rewrite exchange_big; apply: eq_bigr => l _ /=.
rewrite -mulr_suml mulrC [RHS]mulrCA; congr (_ * _).
by rewrite mulr_sumr; apply: eq_bigr => i _; rewrite mulrACA.
Qed.

Lemma eq_trace d d' : (forall x i, d x i = d' x i :> R) -> trace d = trace d'.
Proof. by move=> dd; apply: eq_bigr => i _; apply: eq_covariance => x. Qed.

Lemma signs_product j l :
  plus j * plus l + minus j * minus l = (0 < outer N j * outer N l)%R%:R.
Proof.
rewrite /plus /minus mulrNN; case: (ltrgtP (outer N j) 0) => [uj|uj|->]; last by rewrite !mul0r ltxx addr0.
  by rewrite mul0r add0r mul1r nmulr_rgt0.
by rewrite mul0r addr0 mul1r pmulr_rgt0.
Qed.

Theorem trace_signs : trace (gradient upper) + trace (gradient lower) = same_sign.
Proof.
rewrite (eq_trace gradient_upper) (eq_trace gradient_lower) !trace_sum -big_split.
apply: eq_bigr => j _; rewrite -big_split [RHS]big_mkcond; apply: eq_bigr => l _ /=.
by rewrite -mulrDl signs_product; case: ifP; rewrite ?mul1r ?mul0r.
Qed.

Lemma same_sign_squares : same_sign <= squares.
Proof. by rewrite -trace_signs; apply: lerD; apply: trace_le_squares. Qed.

Theorem variances_same_sign : variances (value N) <= 4%:R * same_sign.
Proof. by rewrite -trace_signs; apply: variances_signs. Qed.

Theorem variances_nonnegative : (forall j, 0 <= outer N j) ->
  variances (value N) <= 2%:R * \sum_j \sum_l C j l * inner j l.
Proof.
move=> u0; apply: le_trans (variances_convex (change_le_gradient u0)) _.
have one x i : gradient N x i = \sum_(j in active N x) 1 * v j i by apply: eq_bigr => j _; rewrite mul1r.
rewrite (eq_trace one) trace_sum le_eqVlt; apply/orP; left; apply/eqP; congr (_ * _).
by apply: eq_bigr => j _; apply: eq_bigr => l _; rewrite !mul1r.
Qed.

(* ---- In classes ---------------------------------------------------------- *)

Let share j : R := mean (indicator j).

Lemma share_ge0 j : 0 <= share j.
Proof. by rewrite -(mean_const I 0); apply: mean_le => x; apply: ler0n. Qed.

Lemma variance_indicator j : C j j = share j * (1 - share j).
Proof.
rewrite mulrBr mulr1; congr (_ - _); apply: eq_mean => x.
by case: (_ \in _); rewrite ?mul1r ?mul0r.
Qed.

Lemma sum_share : \sum_j share j = mean (fun x => #|active N x|%:R).
Proof.
rewrite -mean_sum; apply: eq_mean => x.
by rewrite -sum1_card natr_sum [RHS]big_mkcond; apply: eq_bigr => j _; case: (_ \in _).
Qed.

Theorem same_sign_operator (K : R) :
    (forall a : J -> R, \sum_i (\sum_j a j * v j i) ^+ 2 <= K * \sum_j a j ^+ 2) ->
  same_sign <= K * \sum_j share j * (1 - share j).
Proof.
move=> norm_K.
have trace_K (b : J -> R) : trace (fun x i => \sum_(j in active N x) b j * v j i) <= K * \sum_j b j ^+ 2 * C j j.
  pose e x j : R := (j \in active N x)%:R - share j.
  have -> : \sum_j b j ^+ 2 * C j j = mean (fun x => \sum_j (b j * e x j) ^+ 2).
    rewrite mean_sum; apply: eq_bigr => j _; under [RHS]eq_mean => x do rewrite exprMn.
    by rewrite meanZ mean_sqr_shift subrr expr0n addr0.
  rewrite -mean_shift_trace -meanZ; apply: mean_le => x; apply: le_trans (norm_K (fun j => b j * e x j)).
  rewrite le_eqVlt; apply/orP; left; apply/eqP/eq_bigr => i _; congr (_ ^+ 2).
  have E y : \sum_(j in active N y) b j * v j i = \sum_j b j * v j i * (j \in active N y)%:R.
    by rewrite big_mkcond; apply: eq_bigr => j _; case: ifP; rewrite ?mulr1 ?mulr0.
  rewrite E (eq_mean E) mean_sum -sumrB; apply: eq_bigr => j _.
  by rewrite meanZ -mulrBr mulrAC.
rewrite -trace_signs (eq_trace gradient_upper) (eq_trace gradient_lower).
have -> : \sum_j share j * (1 - share j) = \sum_j plus j ^+ 2 * C j j + \sum_j minus j ^+ 2 * C j j
    + \sum_j null j ^+ 2 * C j j.
  rewrite -!big_split; apply: eq_bigr => j _ /=.
  by rewrite -!mulrDl signs_sqr mul1r variance_indicator.
rewrite !mulrDr -[leLHS]addr0; apply: lerD; last first.
  apply: le_trans (trace_K null); apply: sumr_ge0 => i _; exact: covariance_ge0.
by apply: lerD; apply: trace_K.
Qed.

Variables (W B : R).
Hypothesis scaleN : scale_at_most W B N.

Local Notation size := (mean (fun x => #|active N x|%:R : R)).

Lemma inner_self j : inner j j <= W ^+ 2.
Proof.
apply: le_trans (scale_le j scaleN); rewrite le_eqVlt; apply/orP; left; apply/eqP/eq_bigr => i _.
by rewrite real_normK ?num_real // expr2.
Qed.

(* Pr[j and l] - p_j p_l = C_jl.                                              *)
Theorem same_sign_class (rho : R) : 0 <= rho ->
    (forall j l, j != l -> 0 < outer N j * outer N l -> C j l * inner j l <= rho * share j * share l * W ^+ 2) ->
  same_sign <= W ^+ 2 * (size + rho * size ^+ 2).
Proof.
move=> rho0 pairs; have W2 : 0 <= W ^+ 2 := sqr_ge0 W.
have pair_ge0 j l : 0 <= rho * share j * share l * W ^+ 2.
  by rewrite mulr_ge0 // mulr_ge0 ?share_ge0 // mulr_ge0 ?share_ge0.
have -> : W ^+ 2 * (size + rho * size ^+ 2)
    = \sum_j (share j * W ^+ 2 + \sum_l rho * share j * share l * W ^+ 2).
  rewrite big_split /= -mulr_suml sum_share mulrDr [W ^+ 2 * size]mulrC; congr (_ + _).
  rewrite [size ^+ 2]expr2 -sum_share big_distrlr mulrC /= mulr_sumr mulr_suml; apply: eq_bigr => j _.
  by rewrite mulr_sumr mulr_suml; apply: eq_bigr => l _; rewrite mulrA.
apply: ler_sum => j _; rewrite big_mkcond (bigD1 j) //= [X in _ <= _ + X](bigD1 j) //=.
rewrite addrA; apply: lerD.
  apply: (@le_trans _ _ (share j * W ^+ 2)); last by rewrite lerDl.
  have [uj|_] := ltrP; last by rewrite mulr_ge0 ?share_ge0.
  rewrite variance_indicator; apply: (@le_trans _ _ (share j * (1 - share j) * W ^+ 2)).
    rewrite ler_wpM2l ?inner_self // -variance_indicator; exact: covariance_ge0.
  by rewrite ler_wpM2r // ler_piMr ?share_ge0 // lerBlDr lerDl share_ge0.
apply: ler_sum => l lj; case: ltrP => [u_jl|_]; last exact: pair_ge0.
by apply: pairs; rewrite // eq_sym.
Qed.

(* Tails; the pairs may be all but uncorrelated, rho = 0, or have C_jl <v_j, v_l> <= 0. *)
Theorem tail_class (rho : R) (d : nat) : (1 <= d)%N -> 0 <= rho ->
    (forall j l, j != l -> 0 < outer N j * outer N l -> C j l * inner j l <= rho * share j * share l * W ^+ 2) ->
  tail (value N) d <= 4%:R * W ^+ 2 * (size + rho * size ^+ 2) / d.+1%:R.
Proof.
move=> d0 rho0 pairs; apply: le_trans (tail_le_variances _ d0) _.
rewrite ler_wpM2r ?invr_ge0 ?ler0n //; apply: le_trans variances_same_sign _.
by rewrite -mulrA ler_wpM2l ?ler0n //; apply: same_sign_class.
Qed.

Theorem tail_class_sparse (rho : R) (k d : nat) : sparse k N -> (1 <= d)%N -> 0 <= rho ->
    (forall j l, j != l -> 0 < outer N j * outer N l -> C j l * inner j l <= rho * share j * share l * W ^+ 2) ->
  tail (value N) d <= 4%:R * k%:R * W ^+ 2 * (1 + rho * k%:R) / d.+1%:R.
Proof.
move=> few d0 rho0 pairs; apply: le_trans (tail_class d0 rho0 pairs) _.
rewrite ler_wpM2r ?invr_ge0 ?ler0n //.
have W2 : 0 <= 4%:R * W ^+ 2 by rewrite mulr_ge0 ?ler0n ?sqr_ge0.
rewrite [4%:R * k%:R * _]mulrAC -[leRHS]mulrA ler_wpM2l //.
have size_k : size <= k%:R by apply: mean_le_const => x; rewrite ler_nat few.
have size_ge0 : 0 <= size by rewrite -sum_share sumr_ge0 // => j _; apply: share_ge0.
rewrite mulrDr mulr1; apply: lerD => //; rewrite [leRHS]mulrCA -expr2 ler_wpM2l //.
by apply: ler_norm_sqr; rewrite ger0_norm.
Qed.

(* Never more than E |R|^2 W^2.                                               *)
Lemma sqnorm_signs x :
  sqnorm (gradient upper x) + sqnorm (gradient lower x) <= W ^+ 2 * #|active N x|%:R ^+ 2.
Proof.
apply: le_trans (sqr_effects_active scaleN x); rewrite -big_split; apply: ler_sum => i _ /=.
set a := gradient upper x i; set b := gradient lower x i.
apply: (@le_trans _ _ ((`|a| + `|b|) ^+ 2)).
  rewrite square_of_sum !real_normK ?num_real // lerD2r lerDl.
  by rewrite mulr_ge0 ?mulr_ge0 ?ler0n.
rewrite ler_sqr ?nnegrE ?addr_ge0 ?sumr_ge0 //.
rewrite /a /b gradient_upper gradient_lower.
apply: le_trans (lerD (ler_norm_sum _ _ _) (ler_norm_sum _ _ _)) _.
rewrite -big_split; apply: ler_sum => j _ /=; rewrite !normrM -mulrDl [leLHS]mulrC ler_piMr ?mulr_ge0 //.
rewrite /plus /minus normrN !ger0_norm ?ler0n // -natrD lern1.
by case: ltrgtP.
Qed.

Lemma squares_le : squares <= W ^+ 2 * mean (fun x => #|active N x|%:R ^+ 2).
Proof. by rewrite /squares -meanD -meanZ; apply/mean_le/sqnorm_signs. Qed.

Theorem same_sign_square : same_sign <= W ^+ 2 * mean (fun x => #|active N x|%:R ^+ 2).
Proof. exact: le_trans same_sign_squares squares_le. Qed.

End Signs.

(* ---- With square roots ---------------------------------------------------- *)

Lemma sqrt_split (R : rcfType) (A a b : R) : 0 <= a -> 0 <= b ->
    (forall t, 0 < t -> A <= (1 + t) * (2%:R * a) + (1 + t^-1) * (2%:R * b)) ->
  Num.sqrt A <= Num.sqrt 2%:R * (Num.sqrt a + Num.sqrt b).
Proof.
move=> a0 b0 /weighted_sqrt; rewrite !mulr_ge0 ?ler0n // => /(_ isT isT).
rewrite !sqrtrM ?ler0n // -mulrDr => A_le; apply: le_trans (ler_wsqrtr A_le) _.
by rewrite sqrtr_sqr ger0_norm // mulr_ge0 ?addr_ge0 ?sqrtr_ge0.
Qed.

Section Roots.

Variables (R : rcfType) (I J : finType) (N : network R I J).

Lemma mean_sqnorm_ge0 (d : cube I -> I -> R) : 0 <= mean (fun x => sqnorm (d x)).
Proof.
rewrite -[leLHS](mean_const I); apply: mean_le => x.
by apply: sumr_ge0 => i _; apply: sqr_ge0.
Qed.

Lemma trace_ge0 (d : cube I -> I -> R) : 0 <= trace d.
Proof. by apply: sumr_ge0 => i _; apply: covariance_ge0. Qed.

Theorem sensitivity_signs_sqrt : Num.sqrt (average_sensitivity (value N))
  <= Num.sqrt 2%:R * (Num.sqrt (mean (fun x => sqnorm (gradient (upper N) x)))
                      + Num.sqrt (mean (fun x => sqnorm (gradient (lower N) x)))).
Proof.
apply: sqrt_split; rewrite ?mean_sqnorm_ge0 // => t t0.
exact: sensitivity_split_signs (value_signs N) (@upper_falls _ _ _ N) (@lower_falls _ _ _ N) t0.
Qed.

Theorem variances_signs_sqrt : Num.sqrt (variances (value N))
  <= Num.sqrt 2%:R * (Num.sqrt (trace (gradient (upper N))) + Num.sqrt (trace (gradient (lower N)))).
Proof.
apply: sqrt_split; rewrite ?trace_ge0 // => t t0.
exact: variances_split_signs (value_signs N) (@upper_falls _ _ _ N) (@lower_falls _ _ _ N) t0.
Qed.

End Roots.
