(* Learning by estimated coefficients. Examples (X, Y) have a joint law on a  *)
(* finite set Omega, under which X is uniform on the cube and Y is any label. *)
(* From m independent examples, c_T = 1/m sum_i Y_i chi_T(X_i), |T| <= d.     *)

From mathcomp Require Import all_ssreflect ssralg ssrnum.
From SparseNetworks Require Import compat definitions cube fourier network average_sensitivity.
From SparseNetworks Require Import sparse_networks product_laws identities.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(* ---- The mean over samples ----------------------------------------------- *)

(* How many sets have at most d elements: the number of monomials.            *)
Notation low_sets I d := #|[set T : {set I} | (#|T| <= d)%N]|.

Section Means.

Variables (R : realFieldType) (I Omega : finType) (p : Omega -> R).
Variables (X : Omega -> cube I) (Y : Omega -> R) (m : nat).

(* E F over one sample, and E F and Pr[P] over m independent samples.         *)
Definition example_mean (F : Omega -> R) : R := \sum_o p o * F o.
Definition sample_mean (F : {ffun 'I_m -> Omega} -> R) : R := expectation (fun _ : 'I_m => p) F.
Definition sample_probability (P : pred {ffun 'I_m -> Omega}) : R :=
  sample_mean (fun S => (P S)%:R).

(* What is learned from the samples S.                                        *)
Definition learned d (S : {ffun 'I_m -> Omega}) : cube I -> R :=
  learn d (fun i => X (S i)) (fun i => Y (S i)).

End Means.

(* ---- Independent examples ------------------------------------------------ *)

Section Independent.

Variables (R : realFieldType) (Omega : finType) (p : Omega -> R) (m : nat).
Hypotheses (p_ge0 : forall o, 0 <= p o) (sum_p : \sum_o p o = 1).
Implicit Types (Z : Omega -> R) (F G : {ffun 'I_m -> Omega} -> R).

Local Notation E := (example_mean p).
Local Notation ES := (@sample_mean R Omega p m).

Let law : is_law (fun _ : 'I_m => p).
Proof. by []. Qed.

Lemma eq_sample_mean F G : F =1 G -> ES F = ES G.
Proof. by move=> FG; apply: eq_bigr => S _; rewrite FG. Qed.

Lemma sample_mean_le F G : (forall S, F S <= G S) -> ES F <= ES G.
Proof. exact: expectation_le. Qed.

Lemma sample_mean_const (c : R) : ES (fun=> c) = c.
Proof. exact: expectation_const. Qed.

Lemma sample_meanD F G : ES (fun S => F S + G S) = ES F + ES G.
Proof. by rewrite -big_split; apply: eq_bigr => S _; rewrite mulrDr. Qed.

Lemma sample_meanZ (c : R) F : ES (fun S => c * F S) = c * ES F.
Proof. by rewrite [RHS]mulr_sumr; apply: eq_bigr => S _; rewrite mulrCA. Qed.

Lemma sample_mean_sum (K : finType) (P : pred K) (F : K -> {ffun 'I_m -> Omega} -> R) :
  ES (fun S => \sum_(k | P k) F k S) = \sum_(k | P k) ES (F k).
Proof.
by rewrite [RHS]exchange_big; apply: eq_bigr => S _; rewrite mulr_sumr.
Qed.

(* Markov's inequality.                                                       *)
Lemma Markov F (a : R) : 0 < a -> (forall S, 0 <= F S) ->
  sample_probability p (fun S => a < F S) <= ES F / a.
Proof.
move=> a0 F0; rewrite ler_pdivlMr // mulrC -sample_meanZ; apply: sample_mean_le => S.
by case: ltP => [/ltW|]; rewrite ?mulr1 ?mulr0.
Qed.

Lemma sample_probability_le (P Q : pred {ffun 'I_m -> Omega}) : (forall S, P S -> Q S) ->
  sample_probability p P <= sample_probability p Q.
Proof.
move=> PQ; apply: sample_mean_le => S; rewrite ler_nat.
by case: (boolP (P S)) => // /PQ->.
Qed.

(* Replacing example i only.                                                  *)
Lemma sample_mean_one Z i : ES (fun S => Z (S i)) = E Z.
Proof.
rewrite /sample_mean -(expectation_replace law i).
transitivity (expectation (fun _ : 'I_m => p) (fun=> E Z)); last exact: expectation_const.
apply: eq_bigr => S _; congr (_ * _); rewrite /example_mean; apply: eq_bigr => o _.
by rewrite ffunE eqxx.
Qed.

Lemma sample_mean_two Z i l : E Z = 0 -> i != l -> ES (fun S => Z (S i) * Z (S l)) = 0.
Proof.
move=> EZ il; rewrite /sample_mean -(expectation_replace law i) /expectation.
apply: big1 => S _; rewrite -[RHS](mulr0 (product_law (fun _ : 'I_m => p) S)); congr (_ * _).
rewrite -[RHS](mul0r (Z (S l))) -[X in _ = X * _]EZ /example_mean mulr_suml; apply: eq_bigr => o _.
by rewrite !ffunE eqxx eq_sym (negPf il) mulrA.
Qed.

(* The variance of a sum of independent, centred terms.                       *)
Lemma sample_mean_sqr_sum Z : E Z = 0 ->
  ES (fun S => (\sum_i Z (S i)) ^+ 2) = m%:R * E (fun o => Z o ^+ 2).
Proof.
move=> EZ; transitivity (\sum_i \sum_l ES (fun S => Z (S i) * Z (S l))).
  under [RHS]eq_bigr => i _ do rewrite -sample_mean_sum.
  rewrite -sample_mean_sum; apply: eq_sample_mean => S.
  by rewrite expr2 big_distrlr.
transitivity (\sum_(i < m) E (fun o => Z o ^+ 2)); last by rewrite sumr_const card_ord mulr_natl.
apply: eq_bigr => i _; rewrite (bigD1 i) //= big1 ?addr0 => [|l li].
  by rewrite -(sample_mean_one _ i); apply: eq_sample_mean => S; rewrite expr2.
by rewrite sample_mean_two // eq_sym.
Qed.

End Independent.

(* ---- The loss of polynomials --------------------------------------------- *)

Section Polynomials.

Variables (R : realFieldType) (I : finType) (d : nat).
Implicit Types (T : {set I}) (c : {set I} -> R) (h : cube I -> R).

Lemma mean_sqr_polynomial c :
  mean (fun x => polynomial d c x ^+ 2) = \sum_(T : {set I} | (#|T| <= d)%N) c T ^+ 2.
Proof.
rewrite Parseval [RHS]big_mkcond; apply: eq_bigr => T _.
rewrite (@fourier_unique _ _ (fun T => if (#|T| <= d)%N then c T else 0)) => [|x].
  by case: ifP; rewrite ?expr0n.
by rewrite /polynomial big_mkcond; apply: eq_bigr => S _; case: ifP; rewrite ?mul0r.
Qed.

Lemma mean_sqr_truncated h :
  mean (fun x => (h x - polynomial d (fourier h) x) ^+ 2) = tail h d.
Proof.
rewrite Parseval [RHS]big_mkcond; apply: eq_bigr => T _.
rewrite (@fourier_unique _ _ (fun T => if (d < #|T|)%N then fourier h T else 0)) => [|x].
  by case: ifP; rewrite ?expr0n.
rewrite [h x]fourier_inversion (bigID (fun T : {set I} => (#|T| <= d)%N)) /=.
rewrite addrAC subrr add0r big_mkcond; apply: eq_bigr => S _; rewrite -ltnNge.
by case: ifP; rewrite ?mul0r.
Qed.

Lemma low_setsE : low_sets I d = (\sum_(l < d.+1) 'C(#|I|, l))%N.
Proof.
rewrite -sum1_card (partition_big (fun T : {set I} => inord #|T| : 'I_d.+1) xpredT) //=.
apply: eq_bigr => l _; rewrite -card_draws -sum1_card; apply: eq_bigl => T; rewrite !inE.
case: leqP => /= [Td|dT]; first by rewrite -val_eqE /= inordK.
by apply/esym/negbTE; rewrite neq_ltn (leq_trans (ltn_ord l) dT) orbT.
Qed.

End Polynomials.

Section Loss.

Variables (R : realFieldType) (I Omega : finType) (p : Omega -> R).
Variables (X : Omega -> cube I) (Y : Omega -> R) (m d : nat).
Hypothesis uniform : uniform_marginal p X.
Implicit Types (S : {ffun 'I_m -> Omega}) (T : {set I}) (c : {set I} -> R).
Implicit Types (g h : cube I -> R) (F G : Omega -> R).

Local Notation E := (example_mean p).
Local Notation L := (risk p X Y).

Let p_ge0 : forall o, 0 <= p o := uniform.1.

Lemma example_meanD F G : E (fun o => F o + G o) = E F + E G.
Proof. by rewrite -big_split; apply: eq_bigr => o _; rewrite mulrDr. Qed.

Lemma example_meanZ (a : R) F : E (fun o => a * F o) = a * E F.
Proof. by rewrite [RHS]mulr_sumr; apply: eq_bigr => o _; rewrite mulrCA. Qed.

Lemma example_meanN F : E (fun o => - F o) = - E F.
Proof. by rewrite -[RHS]mulN1r -example_meanZ; apply: eq_bigr => o _; rewrite mulN1r. Qed.

Lemma example_mean_sum (P : pred {set I}) (F : {set I} -> Omega -> R) :
  E (fun o => \sum_(T | P T) F T o) = \sum_(T | P T) E (F T).
Proof. by rewrite [RHS]exchange_big; apply: eq_bigr => o _; rewrite mulr_sumr. Qed.

Lemma example_mean_le F G : (forall o, F o <= G o) -> E F <= E G.
Proof. by move=> FG; apply: ler_sum => o _; rewrite ler_wpM2l. Qed.

Lemma eq_example_mean F G : F =1 G -> E F = E G.
Proof. by move=> FG; apply: eq_bigr => o _; rewrite FG. Qed.

Lemma example_marginal g : E (fun o => g (X o)) = mean g.
Proof.
rewrite /example_mean (partition_big X xpredT) //= /mean mulr_suml; apply: eq_bigr => x _.
rewrite mulrC -(uniform.2 x) mulr_suml; apply: eq_bigr => o /eqP->.
by [].
Qed.

Lemma sum_example : \sum_o p o = 1.
Proof.
rewrite -(mean_const I 1) -(example_marginal (fun=> 1)).
by apply: eq_bigr => o _; rewrite mulr1.
Qed.

Lemma example_mean_const (a : R) : E (fun=> a) = a.
Proof. by rewrite /example_mean -mulr_suml sum_example mul1r. Qed.

Definition coefficient T : R := E (fun o => Y o * character R T (X o)).
Definition second_moment : R := E (fun o => Y o ^+ 2).
Definition best : R := L (polynomial d coefficient).
Definition excess c : R := \sum_(T : {set I} | (#|T| <= d)%N) (c T - coefficient T) ^+ 2.

Lemma loss_polynomial c : L (polynomial d c)
  = second_moment - \sum_(T : {set I} | (#|T| <= d)%N) coefficient T ^+ 2 + excess c.
Proof.
rewrite -[L _]/(E (fun o => (Y o - polynomial d c (X o)) ^+ 2)).
rewrite (eq_example_mean (fun o => expand_loss (Y o) _)) !example_meanD example_meanN.
rewrite -addrA; congr (_ + _); rewrite example_meanZ.
rewrite (example_marginal (fun x => polynomial d c x ^+ 2)) mean_sqr_polynomial.
have -> : E (fun o => Y o * polynomial d c (X o))
    = \sum_(T : {set I} | (#|T| <= d)%N) c T * coefficient T.
  rewrite /polynomial; under eq_example_mean => o do rewrite mulr_sumr.
  rewrite example_mean_sum; apply: eq_bigr => T _; rewrite -example_meanZ.
  by apply: eq_example_mean => o; rewrite mulrCA.
rewrite mulr_sumr -sumrB /excess -sumrN -big_split; apply: eq_bigr => T _ /=.
by rewrite complete_square addrC.
Qed.

Lemma excess_ge0 c : 0 <= excess c.
Proof. by apply: sumr_ge0 => T _; apply: sqr_ge0. Qed.

Lemma loss_best c : L (polynomial d c) = best + excess c.
Proof.
rewrite /best !loss_polynomial.
have -> : excess coefficient = 0.
  by apply: big1 => T _; rewrite subrr expr0n.
by rewrite addr0.
Qed.

Lemma best_le c : best <= L (polynomial d c).
Proof. by rewrite loss_best lerDl excess_ge0. Qed.

Lemma best_le_function h (t : R) : 0 < t ->
  best <= (1 + t) * L h + (1 + t^-1) * tail h d.
Proof.
move=> t0; apply: le_trans (best_le (fourier h)) _.
rewrite -mean_sqr_truncated -example_marginal -!example_meanZ -example_meanD.
apply: example_mean_le => o.
have -> : Y o - polynomial d (fourier h) (X o)
    = (Y o - h (X o)) + (h (X o) - polynomial d (fourier h) (X o)).
  by rewrite addrA subrK.
exact: sqr_add_weighted.
Qed.

(* The variance of one average: (E Y^2 - c_T^2) / m.                          *)
Lemma estimate_variance T : (0 < m)%N ->
  @sample_mean _ _ p m
    (fun S => (estimate (fun i => X (S i)) (fun i => Y (S i)) T - coefficient T) ^+ 2)
  = (second_moment - coefficient T ^+ 2) / m%:R.
Proof.
move=> m0; pose Z o := Y o * character R T (X o) - coefficient T.
have m0R : m%:R != 0 :> R by rewrite pnatr_eq0 -lt0n.
have EZ : E Z = 0.
  by rewrite /Z example_meanD example_mean_const subrr.
have -> : @sample_mean _ _ p m
    (fun S => (estimate (fun i => X (S i)) (fun i => Y (S i)) T - coefficient T) ^+ 2)
    = m%:R^-1 ^+ 2 * @sample_mean _ _ p m (fun S => (\sum_i Z (S i)) ^+ 2).
  rewrite -sample_meanZ; apply: eq_sample_mean => S; rewrite -exprMn; congr (_ ^+ 2).
  rewrite /Z sumrB sumr_const card_ord mulrBr mulrC; congr (_ - _).
  by rewrite -[coefficient T *+ m]mulr_natl mulKf.
rewrite (sample_mean_sqr_sum _ p_ge0 sum_example EZ) mulrA expr2 mulfVK // mulrC.
congr (_ / _); rewrite /Z.
rewrite (eq_example_mean (fun o => expand_loss _ _)) !example_meanD example_meanN !example_meanZ.
have -> : E (fun o => Y o * character R T (X o) * coefficient T) = coefficient T ^+ 2.
  under eq_example_mean => o do rewrite mulrC.
  by rewrite example_meanZ.
rewrite example_mean_const minus_twice; congr (_ - _).
by apply: eq_example_mean => o; rewrite exprMn character_sqr mulr1.
Qed.

(* What averaging costs beyond the best polynomial, exactly and at most.      *)
Lemma mean_excess : (0 < m)%N ->
  @sample_mean _ _ p m (fun S => excess (estimate (fun i => X (S i)) (fun i => Y (S i))))
  = ((low_sets I d)%:R * second_moment - \sum_(T : {set I} | (#|T| <= d)%N) coefficient T ^+ 2)
    / m%:R.
Proof.
move=> m0; rewrite (sample_mean_sum _); under eq_bigr => T _ do rewrite estimate_variance //.
by rewrite -mulr_suml sumrB sumr_const mulr_natl cardsE.
Qed.

Lemma mean_excess_le : (0 < m)%N ->
  @sample_mean _ _ p m (fun S => excess (estimate (fun i => X (S i)) (fun i => Y (S i))))
  <= (low_sets I d)%:R * second_moment / m%:R.
Proof.
move=> m0; rewrite mean_excess // ler_wpM2r ?invr_ge0 ?ler0n // lerBlDr lerDl.
by apply: sumr_ge0 => T _; apply: sqr_ge0.
Qed.

End Loss.
