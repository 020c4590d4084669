(* Efron-Stein influence under product laws on [-1,1]^n: I(h) <= 4 k^2 W^2.   *)

From mathcomp Require Import all_ssreflect ssralg ssrnum.
From SparseNetworks Require Import compat definitions cube network average_sensitivity.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(* ---- One coordinate ------------------------------------------------------ *)

Section OneCoordinate.

Variables (R : realFieldType) (A : finType) (p t h a : A -> R).
Hypotheses (p_ge0 : forall e, 0 <= p e) (sum_p : \sum_e p e = 1).
Hypothesis t_range : forall e, -1 <= t e <= 1.
Hypothesis h_change : forall e e', `|h e - h e'| <= `|t e - t e'| * (a e + a e').

Let E (f : A -> R) := \sum_e p e * f e.

Lemma variance_pairs :
  2%:R * (E (fun e => h e ^+ 2) - E h ^+ 2) = \sum_e \sum_e' p e * p e' * (h e - h e') ^+ 2.
Proof.
have double (f g : A -> R) : E f * E g = \sum_e \sum_e' p e * p e' * (f e * g e').
  rewrite /E big_distrlr; apply: eq_bigr => e _; apply: eq_bigr => e' _.
  by rewrite mulrACA.
have E1 : E (fun=> 1) = 1 by rewrite /E; under eq_bigr => e _ do rewrite mulr1.
transitivity (E (fun e => h e ^+ 2) * E (fun=> 1) - (E h * E h) *+ 2
              + E (fun=> 1) * E (fun e => h e ^+ 2)).
  by rewrite E1 mul1r mulr1 mulr_natl mulrnBl expr2 addrAC mulr2n.
rewrite !double -sumrMnl -sumrB -big_split; apply: eq_bigr => e _ /=.
rewrite -sumrMnl -sumrB -big_split; apply: eq_bigr => e' _ /=.
by rewrite -mulrnAr -mulrBr -mulrDr sqrrB mulr1 mul1r.
Qed.

(* A sign T with E T = t_e is 1 with probability r_e = (1 + t_e)/2.           *)
Let r e := (1 + t e) / 2%:R.

Lemma r_range e : 0 <= r e /\ 0 <= 1 - r e.
Proof.
have /andP[t_ge t_le] := t_range e; rewrite subr_ge0 ler_pdivrMr ?ltr0n // mul1r.
rewrite divr_ge0 ?ler0n //; last by rewrite -lerBlDl sub0r.
by split=> //; rewrite -[2%:R]/(1 + 1) lerD2l.
Qed.

(* (t_e - t_e')^2 <= 4 Pr[T_e != T_e'].                                       *)
Lemma sqr_t_le e e' : (t e - t e') ^+ 2 <= 4%:R * (r e * (1 - r e') + (1 - r e) * r e').
Proof.
have [r0 r1] := r_range e; have [r0' r1'] := r_range e'.
have -> : t e - t e' = 2%:R * (r e - r e').
  by rewrite /r -mulrBl opprD addrACA subrr add0r mulrC divfK ?pnatr_eq0.
rewrite exprMn -four ler_wpM2l ?ler0n // sqrrB addrAC.
move: (r e) (r e') r0 r1 r0' r1' => x y x0 x1 y0 y1; rewrite subr_ge0 in x1; rewrite subr_ge0 in y1.
rewrite mulrBr mulrBl mulr1 mul1r addrACA -opprD -mulr2n lerD2r.
by apply: lerD; rewrite expr2 ler_piMr.
Qed.

(* E over independent e, e' of (a + a')^2 where T_e = 1 and T_e' = -1.        *)
Lemma opposite_signs_le :
  \sum_e \sum_e' (p e * r e) * (p e' * (1 - r e')) * (a e + a e') ^+ 2 <= E (fun e => a e ^+ 2).
Proof.
pose mu e := p e * r e; pose nu e := p e * (1 - r e).
have mu_ge0 e : 0 <= mu e by have [r0 _] := r_range e; rewrite mulr_ge0.
have nu_ge0 e : 0 <= nu e by have [_ r1] := r_range e; rewrite mulr_ge0.
pose S (f : A -> R) (c : A -> R) := \sum_e f e * c e.
have total : S mu (fun=> 1) + S nu (fun=> 1) = 1.
  rewrite -[RHS]sum_p -big_split; apply: eq_bigr => e _ /=.
  by rewrite !mulr1 -mulrDr addrC subrK mulr1.
have Ea2 : E (fun e => a e ^+ 2) = S mu (fun e => a e ^+ 2) + S nu (fun e => a e ^+ 2).
  rewrite -big_split; apply: eq_bigr => e _ /=.
  by rewrite -mulrDl -mulrDr addrC subrK mulr1.
have double (f g : A -> R) : S mu f * S nu g = \sum_e \sum_e' mu e * nu e' * (f e * g e').
  by rewrite big_distrlr; apply: eq_bigr => e _; apply: eq_bigr => e' _; rewrite mulrACA.
have -> : \sum_e \sum_e' mu e * nu e' * (a e + a e') ^+ 2
    = S mu (fun e => a e ^+ 2) * S nu (fun=> 1) + (S mu a * S nu a) *+ 2
      + S mu (fun=> 1) * S nu (fun e => a e ^+ 2).
  rewrite !double -sumrMnl -!big_split; apply: eq_bigr => e _ /=.
  rewrite -sumrMnl -!big_split; apply: eq_bigr => e' _ /=.
  by rewrite -mulrnAr -!mulrDr sqrrD mulr1 mul1r.
have CS f : (forall e, 0 <= f e) ->
    S f a ^+ 2 <= S f (fun=> 1) * S f (fun e => a e ^+ 2).
  move=> f_ge0; have := Cauchy_Schwarz_weighted (P := xpredT) (fun=> 1) a (fun e _ => f_ge0 e).
  rewrite /S; under eq_bigr => e _ do rewrite mul1r.
  by rewrite expr1n.
have := CS _ mu_ge0; have := CS _ nu_ge0; rewrite {}Ea2.
move: (S mu a) (S nu a) (S mu (fun=> 1)) (S nu (fun=> 1)) total
  (S mu (fun e => a e ^+ 2)) (S nu (fun e => a e ^+ 2)).
move=> M1 N1 M0 N0 total M2 N2 N_le M_le.
have -> : M2 + N2 = (M2 * N0 + (M0 * M2 + N0 * N2)) + M0 * N2.
  rewrite -[in LHS](mul1r (M2 + N2)) -total mulrDl !mulrDr [M2 * N0]mulrC.
  by rewrite addrCA -[RHS]addrA [M0 * M2 + M0 * N2 + _]addrAC.
rewrite lerD2r lerD2l (le_trans _ (lerD M_le N_le)) //.
exact: leif_mean_square_scaled.
Qed.

Theorem variance_le : E (fun e => h e ^+ 2) - E h ^+ 2 <= 4%:R * E (fun e => a e ^+ 2).
Proof.
rewrite -(ler_pM2l (ltr0Sn R 1)) variance_pairs.
pose F e e' := (p e * r e) * (p e' * (1 - r e')) * (a e + a e') ^+ 2.
apply: (@le_trans _ _ (\sum_e \sum_e' 4%:R * (F e e' + F e' e))).
  apply: ler_sum => e _; apply: ler_sum => e' _.
  have -> : 4%:R * (F e e' + F e' e) = p e * p e'
      * (4%:R * (r e * (1 - r e') + (1 - r e) * r e') * (a e + a e') ^+ 2).
    rewrite /F [a e' + a e]addrC; move: (p e) (p e') (r e) (r e') (1 - r e) (1 - r e') (_ ^+ 2).
    move=> P Q x y x' y' s; rewrite (mulrACA P) (mulrACA Q) [Q * P]mulrC [y * x']mulrC.
    by rewrite -mulrDl -mulrDr -[_ * _ * s]mulrA mulrCA [4%:R * (_ * s)]mulrA.
  rewrite ler_wpM2l ?mulr_ge0 //; apply: le_trans (ler_norm_sqr (h_change e e')) _.
  by rewrite exprMn real_normK ?num_real // ler_wpM2r ?sqr_ge0 ?sqr_t_le.
have -> : \sum_e \sum_e' 4%:R * (F e e' + F e' e) = 8%:R * \sum_e \sum_e' F e e'.
  rewrite mulr_sumr; under [RHS]eq_bigr => e _ do rewrite mulr_sumr.
  under eq_bigr => e _ do under eq_bigr => e' _ do rewrite mulrDr.
  under eq_bigr => e _ do rewrite big_split.
  rewrite big_split /= [X in _ + X]exchange_big /= -big_split; apply: eq_bigr => e _ /=.
  by rewrite -big_split; apply: eq_bigr => e' _ /=; rewrite -mulrDl -natrD.
rewrite mulrA -natrM; apply: ler_wpM2l opposite_signs_le; exact: ler0n.
Qed.

End OneCoordinate.

(* ---- All coordinates ----------------------------------------------------- *)

Section ProductLaw.

Variables (R : realFieldType) (I A : finType) (p : I -> A -> R).
Hypothesis law : is_law p.
Implicit Types (x : {ffun I -> A}) (i : I) (e : A) (F : {ffun I -> A} -> R).

Lemma product_law_ge0 x : 0 <= product_law p x.
Proof. by apply: prodr_ge0 => i _; case: (law i). Qed.

Lemma product_law_replace x i e :
  product_law p x * p i e = product_law p (replace x i e) * p i (x i).
Proof.
rewrite /product_law (bigD1 i) //= [in RHS](bigD1 i) //= ffunE eqxx.
rewrite [LHS]mulrAC [RHS]mulrAC [p i e * _]mulrC; congr (_ * _).
by apply: eq_bigr => l /negPf li; rewrite ffunE li.
Qed.

(* Replacing a coordinate by an independent copy does not change the law.     *)
Lemma expectation_replace i F :
  expectation p (fun x => \sum_e p i e * F (replace x i e)) = expectation p F.
Proof.
rewrite /expectation; under eq_bigr => x _ do rewrite mulr_sumr.
under eq_bigr => x _ do under eq_bigr => e _ do rewrite mulrA product_law_replace.
pose swap (xe : {ffun I -> A} * A) := (replace xe.1 i xe.2, xe.1 i).
have swapK : involutive swap.
  move=> [x e]; congr (_, _); last by rewrite /= ffunE eqxx.
  by apply/ffunP=> l; rewrite !ffunE /= ?eqxx; case: eqP => [->|].
rewrite pair_bigA (reindex_inj (inv_inj swapK)) /=.
transitivity (\sum_(xe : {ffun I -> A} * A) product_law p xe.1 * p i xe.2 * F xe.1).
  apply: eq_bigr => -[x e] _; have [/= -> ->] : swap (swap (x, e)) = (x, e) := swapK _.
  by [].
rewrite -(pair_bigA _ (fun x e => product_law p x * p i e * F x)) /=; apply: eq_bigr => x _.
by rewrite -mulr_suml -mulr_sumr (law i).2 mulr1.
Qed.

Lemma expectation_le F F' : (forall x, F x <= F' x) -> expectation p F <= expectation p F'.
Proof. by move=> le; apply: ler_sum => x _; rewrite ler_wpM2l ?product_law_ge0. Qed.

Lemma expectation_const c : expectation p (fun=> c) = c.
Proof.
rewrite /expectation -mulr_suml -bigA_distr_bigA big1 ?mul1r // => i _.
exact: (law i).2.
Qed.

Variables (J : finType) (N : network R I J) (t : I -> A -> R) (k : nat) (W B : R).
Hypothesis t_range : forall i e, -1 <= t i e <= 1.
Let position x i := t i (x i).
Let h x := value_at N (position x).
Hypothesis scaleN : scale_at_most W B N.

Let effect i x := \sum_(j in active_at N (position x)) `|outer N j * weight N j i|.

Lemma product_change x i e e' :
  `|h (replace x i e) - h (replace x i e')|
  <= `|t i e - t i e'| * (effect i (replace x i e) + effect i (replace x i e')).
Proof.
have off l : l != i -> position (replace x i e) l = position (replace x i e') l.
  by rewrite /position !ffunE => /negPf->.
apply: le_trans (value_change off (subxx _)) _; rewrite /position !ffunE eqxx.
rewrite ler_wpM2l //.
exact: (effect_setU (fun j l => normr_ge0 (outer N j * weight N j l))).
Qed.

Theorem influence_square :
  influence p h <= 4%:R * W ^+ 2 * expectation p (fun x => #|active_at N (position x)|%:R ^+ 2).
Proof.
have le_i i : expectation p (variance p h i) <= 4%:R * expectation p (fun x => effect i x ^+ 2).
  rewrite -(expectation_replace i (fun x => effect i x ^+ 2)) /expectation mulr_sumr.
  apply: ler_sum => x _; rewrite [leRHS]mulrCA ler_wpM2l ?product_law_ge0 //.
  have [p_ge0 sum_p] := law i.
  exact: (variance_le p_ge0 sum_p (t_range i) (product_change x i)).
apply: (@le_trans _ _ (4%:R * expectation p (fun x => \sum_i effect i x ^+ 2))).
  have -> : expectation p (fun x => \sum_i effect i x ^+ 2)
            = \sum_i expectation p (fun x => effect i x ^+ 2).
    by rewrite /expectation exchange_big; apply: eq_bigr => x _; rewrite mulr_sumr.
  by rewrite mulr_sumr; apply: ler_sum => i _.
rewrite -mulrA ler_wpM2l ?ler0n // [leRHS]mulr_sumr; apply: ler_sum => x _.
rewrite [leRHS]mulrCA ler_wpM2l ?product_law_ge0 // [leRHS]mulrC.
have size_le j : \sum_i `|outer N j * weight N j i| ^+ 2 <= W ^+ 2 := scale_le j scaleN.
exact (sqr_effects_card size_le (leqnn _)).
Qed.

Theorem influence_le : (forall x, 0 < product_law p x -> (#|active_at N (position x)| <= k)%N) ->
  influence p h <= 4%:R * k%:R ^+ 2 * W ^+ 2.
Proof.
move=> sparseN; apply: le_trans influence_square _; rewrite [leRHS]mulrAC.
apply: ler_wpM2l; first by apply: mulr_ge0; rewrite ?sqr_ge0 ?ler0n.
rewrite -[leRHS]expectation_const; apply: ler_sum => x _.
have := product_law_ge0 x; rewrite le_eqVlt => /orP[/eqP<- | px]; first by rewrite !mul0r.
by apply: ler_wpM2l; [apply: ltW | rewrite -!natrX ler_nat leq_exp2r // sparseN].
Qed.

End ProductLaw.
