(* From Definition 1 to a sample size: sparse networks are learned from       *)
(* uniform examples, with exact labels and in the agnostic setting.           *)

From mathcomp Require Import all_ssreflect ssralg ssrnum.
From SparseNetworks Require Import compat definitions cube fourier network average_sensitivity.
From SparseNetworks Require Import sparse_networks product_laws identities learning.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(* ---- Any labels ---------------------------------------------------------- *)

Section Agnostic.

Variables (R : realFieldType) (I Omega : finType) (p : Omega -> R).
Variables (X : Omega -> cube I) (Y : Omega -> R) (m d : nat).
Hypotheses (uniform : uniform_marginal p X) (m_gt0 : (0 < m)%N).
Implicit Types (S : {ffun 'I_m -> Omega}) (h : cube I -> R).

Local Notation L := (risk p X Y).
Local Notation D := ((low_sets I d)%:R : R).
Local Notation second_moment := (example_mean p (fun o => Y o ^+ 2)).
Local Notation learned := (@learned R I Omega X Y m d).

Let p_ge0 : forall o, 0 <= p o := uniform.1.
Let sum_p := sum_example uniform.

Lemma loss_learned S :
  L (learned S) = best p X Y d + excess p X Y d (estimate (fun i => X (S i)) (fun i => Y (S i))).
Proof. exact: loss_best. Qed.

Theorem agnostic_expected h (t : R) : 0 < t ->
  @sample_mean _ _ p m (fun S => L (learned S))
  <= (1 + t) * L h + (1 + t^-1) * tail h d + D * second_moment / m%:R.
Proof.
move=> t0; rewrite (eq_sample_mean _ loss_learned) sample_meanD sample_mean_const //.
by apply: lerD; [apply: best_le_function | apply: mean_excess_le].
Qed.

Theorem agnostic_probability (eps delta : R) : 0 < eps ->
    D * second_moment <= eps * delta * m%:R ->
  @sample_probability _ _ p m (fun S => best p X Y d + eps < L (learned S)) <= delta.
Proof.
move=> eps0 size.
have m0R : 0 < m%:R :> R by rewrite ltr0n.
pose F S := excess p X Y d (estimate (fun i => X (S i)) (fun i => Y (S i))).
apply: (@le_trans _ _ (@sample_probability _ _ p m (fun S => eps < F S))).
  by apply: sample_probability_le => // S; rewrite loss_learned ltrD2l.
have F0 S : 0 <= F S by apply: excess_ge0.
apply: le_trans (Markov p_ge0 sum_p eps0 F0) _.
rewrite ler_pdivrMr // mulrC; apply: le_trans (mean_excess_le Y d uniform m_gt0) _.
by rewrite ler_pdivrMr.
Qed.

(* One learner and one sample compete with all sparse networks at once.       *)
Theorem agnostic_sparse (eps delta : R) : 0 < eps ->
    D * second_moment <= eps * delta * m%:R ->
  exists bad : pred {ffun 'I_m -> Omega},
    sample_probability p bad <= delta /\
    forall S, ~~ bad S -> forall (s k : nat) (W B t : R) (N : network R I 'I_s),
      in_class k W B N -> 0 < t ->
      L (learned S) <= (1 + t) * L (value N)
                       + (1 + t^-1) * (4%:R * k%:R ^+ 2 * W ^+ 2 / d.+1%:R) + eps.
Proof.
move=> eps0 size; exists (fun S => best p X Y d + eps < L (learned S)).
split=> [|S]; first exact: agnostic_probability.
rewrite -leNgt => good s k W B t N [sparseN scaleN] t0.
apply: le_trans good _; rewrite lerD2r.
apply: le_trans (best_le_function Y d uniform (value N) t0) _.
rewrite lerD2l ler_wpM2l ?addr_ge0 ?ler01 ?invr_ge0 ?(ltW t0) //.
exact: sparse_tail scaleN sparseN d.
Qed.

End Agnostic.

(* The best polynomial against any function, with square roots.               *)
Theorem agnostic_polynomial (R : rcfType) (I Omega : finType) (p : Omega -> R)
    (X : Omega -> cube I) (Y : Omega -> R) (d : nat) (h : cube I -> R) :
    uniform_marginal p X ->
  exists c : {set I} -> R,
    risk p X Y (polynomial d c) <= (Num.sqrt (risk p X Y h) + Num.sqrt (tail h d)) ^+ 2
    /\ forall eps, 2%:R * tail h d <= eps -> 16%:R * risk p X Y h * tail h d <= eps ^+ 2 ->
         risk p X Y (polynomial d c) <= risk p X Y h + eps.
Proof.
move=> uniform; exists (coefficient p X Y); set opt := risk p X Y h.
have opt0 : 0 <= opt.
  by apply: sumr_ge0 => o _; rewrite mulr_ge0 ?sqr_ge0 //; exact: uniform.1.
have tail0 : 0 <= tail h d by apply: sumr_ge0 => T _; apply: sqr_ge0.
have root : risk p X Y (polynomial d (coefficient p X Y)) <= (Num.sqrt opt + Num.sqrt (tail h d)) ^+ 2.
  by apply: weighted_sqrt => // t t0; exact: best_le_function.
split=> // eps small product; have eps0 : 0 <= eps by apply: le_trans small; rewrite mulr_ge0 ?ler0n.
apply: le_trans root _; rewrite square_of_sum !sqr_sqrtr // -sqrtrM // -addrA lerD2l.
have half : 4%:R * Num.sqrt (opt * tail h d) <= eps.
  rewrite -(ler_pXn2r (n := 2)) ?nnegrE ?mulr_ge0 ?ler0n ?sqrtr_ge0 //.
  rewrite exprMn sqr_sqrtr; last exact: mulr_ge0.
  by apply: le_trans product; rewrite -natrX !mulrA.
have two : (0 : R) < 2%:R by rewrite ltr0n.
rewrite -(ler_pM2l two) mulrDr [2%:R * (2%:R * _)]mulrA -natrM [leRHS]mulr_natl mulr2n.
exact: lerD.
Qed.

(* ---- Exact labels -------------------------------------------------------- *)

Section Realizable.

Variables (R : realFieldType) (I : finType) (m d : nat).
Implicit Types (S : {ffun 'I_m -> cube I}) (h : cube I -> R).

Local Notation samples := {ffun 'I_m -> cube I}.
Local Notation D := ((low_sets I d)%:R : R).

(* |h - g|^2 for the polynomial g that is learned from S, labelled by h.      *)
Definition learning_error h S : R :=
  mean (fun x => (h x - learn d S (fun i => h (S i)) x) ^+ 2).

Let u (_ : cube I) : R := #|{: cube I}|%:R^-1.

Lemma uniform_cube : uniform_marginal u id.
Proof.
split=> [x | x]; first by rewrite invr_ge0 ler0n.
by rewrite (big_pred1 x) // => o; rewrite pred1E.
Qed.

Lemma example_mean_cube (F : cube I -> R) : example_mean u F = mean F.
Proof. exact: (example_marginal uniform_cube). Qed.

Lemma card_samples : #|{: samples}| = (#|{: cube I}| ^ m)%N.
Proof. by rewrite [LHS]card_ffun card_ord. Qed.

Lemma sample_mean_cube (F : samples -> R) :
  sample_mean u F = (\sum_S F S) / #|{: samples}|%:R.
Proof.
rewrite /sample_mean /expectation mulr_suml; apply: eq_bigr => S _.
by rewrite /product_law prodr_const card_ord card_samples natrX exprVn mulrC.
Qed.

Lemma loss_cube h (g : cube I -> R) : risk u id h g = mean (fun x => (h x - g x) ^+ 2).
Proof. exact: example_mean_cube. Qed.

Lemma best_cube h : best u id h d = tail h d.
Proof.
rewrite /best loss_cube -mean_sqr_truncated; apply: eq_mean => x; congr ((_ - _) ^+ 2).
by apply: eq_bigr => T _; congr (_ * _); rewrite /coefficient example_mean_cube.
Qed.

Hypothesis m_gt0 : (0 < m)%N.

Theorem learning_error_expected h :
  (\sum_S learning_error h S) / #|{: samples}|%:R
  <= tail h d + D * mean (fun x => h x ^+ 2) / m%:R.
Proof.
rewrite -sample_mean_cube -best_cube -example_mean_cube.
have E S : learning_error h S = best u id h d + excess u id h d (estimate S (fun i => h (S i))).
  by rewrite -(loss_best h d uniform_cube) loss_cube.
rewrite (eq_sample_mean _ E) sample_meanD sample_mean_const ?sum_example //.
- by rewrite lerD2l; apply: (mean_excess_le h d uniform_cube m_gt0).
- exact: uniform_cube.1.
- exact: (sum_example uniform_cube).
Qed.

Theorem learning_error_probability h (eps delta : R) : 0 < eps ->
    D * mean (fun x => h x ^+ 2) <= eps * delta * m%:R ->
  #|[set S | tail h d + eps < learning_error h S]|%:R <= delta * #|{: samples}|%:R.
Proof.
move=> eps0 size; have cube0 : 0 < #|{: samples}|%:R :> R.
  by rewrite ltr0n card_samples card_cube !expn_gt0.
rewrite -ler_pdivrMr //.
rewrite -example_mean_cube in size.
apply: le_trans _ (agnostic_probability uniform_cube m_gt0 eps0 size).
rewrite /sample_probability sample_mean_cube le_eqVlt; apply/orP; left; apply/eqP.
congr (_ / _); rewrite -sum1_card natr_sum big_mkcond; apply: eq_bigr => S _.
by rewrite inE best_cube loss_cube; case: ifP.
Qed.

End Realizable.

(* ---- The risk of averaging, exactly -------------------------------------- *)

Section AveragingRisk.

Variables (R : realFieldType) (I A : finType) (q e : A -> R) (f : cube I -> R) (m d : nat).
Hypotheses (q_ge0 : forall a, 0 <= q a) (sum_q : \sum_a q a = 1) (m_gt0 : (0 < m)%N).
Hypothesis centred : \sum_a q a * e a = 0.

(* A sample is a uniform point with noise e a on its label.                   *)
Let p (o : cube I * A) : R := q o.2 / #|{: cube I}|%:R.
Let X (o : cube I * A) := o.1.
Let Y (o : cube I * A) : R := f o.1 + e o.2.

Lemma noisy_mean (F : cube I -> R) (G : A -> R) :
  example_mean p (fun o => F o.1 * G o.2) = mean F * \sum_a q a * G a.
Proof.
rewrite /example_mean -(pair_bigA _ (fun x a => q a / #|{: cube I}|%:R * (F x * G a))) /=.
rewrite /mean mulr_suml mulr_suml; apply: eq_bigr => x _; rewrite mulr_sumr; apply: eq_bigr => a _.
by rewrite mulrACA [RHS]mulrACA [q a * F x]mulrC.
Qed.

Lemma noisy_uniform : uniform_marginal p X.
Proof.
split=> [o | x]; first by rewrite /p mulr_ge0 ?invr_ge0 ?ler0n.
rewrite big_mkcond -(pair_bigA _ (fun y a => if y == x then p (y, a) else 0)) /= (bigD1 x) //=.
rewrite [X in _ + X]big1 ?addr0 => [|y /negPf yx]; last by rewrite big1 // => a _; rewrite yx.
by rewrite eqxx -mulr_suml sum_q mul1r.
Qed.

Lemma noisy_coefficient (T : {set I}) : coefficient p X Y T = fourier f T.
Proof.
rewrite /coefficient /Y /X.
under eq_example_mean => o do rewrite mulrDl [e o.2 * _]mulrC.
rewrite example_meanD (noisy_mean (character R T) e) centred mulr0 addr0.
exact: (example_marginal noisy_uniform (fun x => f x * character R T x)).
Qed.

Lemma noisy_second_moment :
  second_moment p Y = mean (fun x => f x ^+ 2) + \sum_a q a * e a ^+ 2.
Proof.
rewrite /second_moment /Y; under eq_example_mean => o do rewrite square_of_sum.
rewrite !example_meanD (example_marginal noisy_uniform (fun x => f x ^+ 2)) -addrA; congr (_ + _).
have -> : example_mean p (fun o => 2%:R * (f o.1 * e o.2)) = 0.
  by rewrite example_meanZ (noisy_mean f e) centred mulr0 mulr0.
rewrite add0r -[RHS]mul1r -(mean_const I 1) -(noisy_mean _ (fun a => e a ^+ 2)).
by apply: eq_example_mean => o; rewrite mul1r.
Qed.

Theorem averaging_risk :
  sample_mean p (fun S : {ffun 'I_m -> cube I * A} =>
    mean (fun x => (f x - learn d (fun i => (S i).1) (fun i => f (S i).1 + e (S i).2) x) ^+ 2))
  = tail f d
    + ((low_sets I d)%:R * mean (fun x => f x ^+ 2)
       - \sum_(T : {set I} | (#|T| <= d)%N) fourier f T ^+ 2) / m%:R
    + (low_sets I d)%:R * (\sum_a q a * e a ^+ 2) / m%:R.
Proof.
pose u (_ : cube I) : R := #|{: cube I}|%:R^-1.
have E (S : {ffun 'I_m -> cube I * A}) :
    mean (fun x => (f x - learn d (fun i => (S i).1) (fun i => f (S i).1 + e (S i).2) x) ^+ 2)
    = tail f d + excess p X Y d (estimate (fun i => X (S i)) (fun i => Y (S i))).
  rewrite -best_cube -loss_cube (loss_best f d (@uniform_cube R I)); congr (_ + _).
  apply: eq_bigr => T _; rewrite noisy_coefficient; congr ((_ - _) ^+ 2).
  by rewrite /coefficient example_mean_cube.
rewrite (eq_sample_mean _ E) sample_meanD sample_mean_const ?(sum_example noisy_uniform) //; last first.
  exact: noisy_uniform.1.
rewrite mean_excess //; last exact: noisy_uniform.
rewrite -addrA; congr (_ + _); rewrite -mulrDl; congr (_ / _).
rewrite noisy_second_moment mulrDr addrAC; congr (_ - _ + _).
by apply: eq_bigr => T _; rewrite noisy_coefficient.
Qed.

End AveragingRisk.

(* ---- Sparse networks ----------------------------------------------------- *)

Section Sparse.

Variables (R : realFieldType) (n s k : nat) (W B : R) (N : network R 'I_n 'I_s).
Hypothesis classN : in_class k W B N.

(* h^2 <= 2 k^2 (n W^2 + B^2).                                                *)
Lemma value_sqr_le (x : cube 'I_n) :
  value N x ^+ 2 <= 2%:R * k%:R ^+ 2 * (n%:R * W ^+ 2 + B ^+ 2).
Proof.
case: classN => sparseN [_ W_le B_le]; rewrite /value value_active.
apply: le_trans (sqr_sum_le _ _) _.
have term j : (outer N j * preactivation N j (coord R x)) ^+ 2
    <= 2%:R * (n%:R * W ^+ 2 + B ^+ 2).
  rewrite /preactivation mulrBr; apply: le_trans (sqr_add_le _ _) _.
  rewrite ler_wpM2l ?ler0n // sqrrN; apply: lerD; last first.
    by rewrite ler_norm_sqr // normrM.
  rewrite exprMn; apply: (@le_trans _ _ (outer N j ^+ 2 * (sqnorm (weight N j) * n%:R))).
    rewrite ler_wpM2l ?sqr_ge0 //; apply: le_trans (Cauchy_Schwarz _ _ _) _.
    rewrite le_eqVlt; apply/orP; left; apply/eqP; congr (_ * _).
    under eq_bigr => i _ do rewrite expr2 coord_sqr.
    by rewrite sumr_const card_ord.
  by rewrite mulrA [leRHS]mulrC ler_wpM2r ?ler0n.
apply: (@le_trans _ _ (k%:R * (k%:R * (2%:R * (n%:R * W ^+ 2 + B ^+ 2))))).
  have rhs0 : 0 <= 2%:R * (n%:R * W ^+ 2 + B ^+ 2).
    by rewrite mulr_ge0 ?ler0n // addr_ge0 ?sqr_ge0 // mulr_ge0 ?ler0n ?sqr_ge0.
  apply: ler_pM; rewrite ?ler0n ?ler_nat ?sparseN //.
    by apply: sumr_ge0 => j _; apply: sqr_ge0.
  apply: (@le_trans _ _ (#|active N x|%:R * (2%:R * (n%:R * W ^+ 2 + B ^+ 2)))).
    by rewrite mulr_natl -sumr_const; apply: ler_sum.
  by rewrite ler_wpM2r // ler_nat sparseN.
by rewrite !mulrA [_ * 2%:R]mulrC -!mulrA expr2 !mulrA.
Qed.

Lemma mean_value_sqr_le :
  mean (fun x => value N x ^+ 2) <= 2%:R * k%:R ^+ 2 * (n%:R * W ^+ 2 + B ^+ 2).
Proof. exact/mean_le_const/value_sqr_le. Qed.

Variables (m d : nat).
Hypothesis m_gt0 : (0 < m)%N.

Local Notation D := ((\sum_(l < d.+1) 'C(n, l))%:R : R).
Local Notation samples := {ffun 'I_m -> cube 'I_n}.
Local Notation bound := (2%:R * k%:R ^+ 2 * (n%:R * W ^+ 2 + B ^+ 2)).

Let DE : (low_sets 'I_n d)%:R = D.
Proof. by rewrite low_setsE card_ord. Qed.

Lemma bounded_moment : D * mean (fun x => value N x ^+ 2) <= D * bound.
Proof. by rewrite ler_wpM2l ?ler0n // mean_value_sqr_le. Qed.

(* The expected squared error: the tail, and the noise of the averages.       *)
Theorem sparse_learning_expected :
  (\sum_(S : samples) learning_error d (value N) S) / #|{: samples}|%:R
  <= 4%:R * k%:R ^+ 2 * W ^+ 2 / d.+1%:R + D * bound / m%:R.
Proof.
apply: le_trans (learning_error_expected d m_gt0 (value N)) _; rewrite DE lerD //.
  by case: classN => sparseN scaleN; apply: sparse_tail scaleN sparseN d.
by rewrite ler_wpM2r ?invr_ge0 ?ler0n // bounded_moment.
Qed.

(* The tail is certain, so Markov's inequality is needed for the noise only.  *)
Theorem sparse_learning (eps delta : R) : 0 < eps ->
    4%:R * k%:R ^+ 2 * W ^+ 2 <= eps * d.+1%:R -> D * bound <= eps * delta * m%:R ->
  #|[set S : samples | 2%:R * eps < learning_error d (value N) S]|%:R
  <= delta * #|{: samples}|%:R.
Proof.
move=> eps0 degree size.
have sizeE : (low_sets 'I_n d)%:R * mean (fun x => value N x ^+ 2) <= eps * delta * m%:R.
  by rewrite DE; apply: le_trans bounded_moment size.
apply: le_trans (learning_error_probability m_gt0 eps0 sizeE); rewrite ler_nat.
apply/subset_leq_card/subsetP => S; rewrite !inE; apply: le_lt_trans.
rewrite mulr_natl mulr2n lerD2r; case: classN => sparseN scaleN.
by apply: le_trans (sparse_tail scaleN sparseN d) _; rewrite ler_pdivrMr ?ltr0Sn.
Qed.

End Sparse.

