(* Variances and differences D_i f(x) = (f(x_i = 1) - f(x_i = -1))/2 by       *)
(* Fourier weights w_T = f^(T)^2:                                             *)
(*     Var(f) = sum_(|T| >= 1) w_T,  G(f) = sum_i Var(D_i f) = AS(f) - W^1(f), *)
(* tails by AS(f) - Var(f) and by G(f), and when they are equal to these.     *)

From mathcomp Require Import all_ssreflect ssralg ssrnum.
From SparseNetworks Require Import compat definitions cube fourier.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Differences.

Variables (R : realFieldType) (I : finType).
Implicit Types (x : cube I) (i : I) (T : {set I}) (f : cube I -> R) (c : nat -> nat) (d : nat).

Definition variances f : R := \sum_i covariance (difference f i) (difference f i).
Definition linear_weight f : R := \sum_i fourier f [set i] ^+ 2.

(* ---- Weights ------------------------------------------------------------- *)

Lemma fourier_set0 f : fourier f set0 = mean f.
Proof. by apply: eq_mean => x; rewrite /character big_set0 mulr1. Qed.

Lemma sum_singletons (F : {set I} -> R) :
  \sum_(T : {set I} | #|T| == 1%N) F T = \sum_i F [set i].
Proof.
rewrite -(big_imset (h := @set1 I) (A := predT) F) /= => [|i l _ _ /set1_inj //].
apply: eq_bigl => T; apply/cards1P/imsetP => [[i ->] | [i _ ->]]; by exists i.
Qed.

(* Weights c(|T|) with c(0) = 0.                                              *)
Let weighted c f := \sum_(T : {set I}) (c #|T|)%:R * fourier f T ^+ 2.

Lemma eq_weighted c c' f : c =1 c' -> weighted c f = weighted c' f.
Proof. by move=> cc; apply: eq_bigr => T _; rewrite cc. Qed.

Lemma weighted_add c c' f : weighted (fun m => c m + c' m)%N f = weighted c f + weighted c' f.
Proof. by rewrite -big_split; apply: eq_bigr => T _; rewrite natrD mulrDl. Qed.

Lemma average_sensitivity_weighted f : average_sensitivity f = weighted id f.
Proof. exact: average_sensitivity_fourier. Qed.

Lemma variance_fourier f : covariance f f = weighted (fun m => (0 < m)%N) f.
Proof.
rewrite /covariance; under eq_mean => x do rewrite -expr2.
rewrite Parseval -fourier_set0 -expr2 /weighted (bigD1 set0) //= addrAC subrr add0r.
rewrite [RHS](bigD1 set0) //= cards0 mul0r add0r.
by apply: eq_bigr => T T0; rewrite card_gt0 T0 mul1r.
Qed.

Lemma linear_weight_fourier f : linear_weight f = weighted (fun m => m == 1%N) f.
Proof.
rewrite /linear_weight -(sum_singletons (fun T => fourier f T ^+ 2)) big_mkcond.
by apply: eq_bigr => T _; case: eqP; rewrite ?mul1r ?mul0r.
Qed.

(* ---- Differences --------------------------------------------------------- *)

Lemma mean_difference f i : mean (difference f i) = fourier f [set i].
Proof.
rewrite /fourier; under [RHS]eq_mean => x do rewrite /character big_set1 mulrC.
transitivity (2%:R^-1 * mean (fun x => coord R x i * f x + coord R (flip x i) i * f (flip x i))).
  rewrite -meanZ; apply: eq_mean => x; rewrite /difference mulrC coord_flip eqxx mulNr.
  by congr (_ * _); rewrite mulrBr.
rewrite meanD (mean_flip (fun x => coord R x i * f x)) -mulr2n -[mean _ *+ 2]mulr_natl.
by rewrite mulKf ?pnatr_eq0.
Qed.

Lemma sqr_difference f i x : difference f i x ^+ 2 = (f x - f (flip x i)) ^+ 2 / 4%:R.
Proof. by rewrite /difference !exprMn exprVn -four [coord R x i ^+ 2]coord_sqr mul1r. Qed.

Lemma average_sensitivity_differences f :
  average_sensitivity f = \sum_i mean (fun x => difference f i x ^+ 2).
Proof. by rewrite -mean_sum; apply: eq_mean => x; apply: eq_bigr => i _; rewrite sqr_difference. Qed.

Theorem variances_sensitivity f : variances f = average_sensitivity f - linear_weight f.
Proof.
rewrite average_sensitivity_differences -sumrB; apply: eq_bigr => i _.
by rewrite /covariance mean_difference -expr2.
Qed.

Lemma variances_weighted f : variances f = weighted (fun m => if (1 < m)%N then m else 0%N) f.
Proof.
rewrite variances_sensitivity average_sensitivity_weighted linear_weight_fourier.
apply/eqP; rewrite subr_eq -weighted_add; apply/eqP/eq_weighted => m.
by case: m => [|[|m]] //=; rewrite addn0.
Qed.

Theorem variances_fourier f : variances f = \sum_(T : {set I} | (1 < #|T|)%N) #|T|%:R * fourier f T ^+ 2.
Proof.
rewrite variances_weighted [RHS]big_mkcond; apply: eq_bigr => T _.
by case: ifP => //; rewrite mul0r.
Qed.

Lemma sensitivity_less_variance f : average_sensitivity f - covariance f f = weighted predn f.
Proof.
rewrite average_sensitivity_weighted variance_fourier; apply/eqP; rewrite subr_eq -weighted_add.
by apply/eqP/eq_weighted => -[|m] //=; rewrite addn1.
Qed.

Lemma sensitivity_less_both f :
  average_sensitivity f - 2%:R * covariance f f + linear_weight f = weighted (fun m => m.-2) f.
Proof.
rewrite average_sensitivity_weighted variance_fourier linear_weight_fourier mulr_natl mulr2n.
apply/eqP; rewrite addrAC subr_eq -!weighted_add; apply/eqP/eq_weighted => -[|[|m]] //=.
by rewrite addn0 !addn1 addnC.
Qed.

(* ---- Tails --------------------------------------------------------------- *)

Lemma tail_weighted c (a : nat) f d : (forall m, (d < m)%N -> (a <= c m)%N) ->
  a%:R * tail f d <= weighted c f.
Proof. by move=> ac; apply: tail_le_weighted => T; rewrite ?ler0n // ler_nat; apply: ac. Qed.

Theorem tail_le_variance f d : tail f d <= covariance f f.
Proof.
by rewrite variance_fourier -[leLHS]mul1r; apply: (tail_weighted (a := 1)) => m; case: m.
Qed.

Theorem tail_le_affine f d : (1 <= d)%N -> tail f d <= (average_sensitivity f - covariance f f) / d%:R.
Proof.
move=> d0; rewrite ler_pdivlMr ?ltr0n // mulrC sensitivity_less_variance.
by apply: tail_weighted => m; case: m.
Qed.

Theorem tail_le_quadratic f d : (2 <= d)%N ->
  tail f d <= (average_sensitivity f - 2%:R * covariance f f + linear_weight f) / d.-1%:R.
Proof.
case: d => [|[|d]] // _; rewrite ler_pdivlMr ?ltr0n // mulrC sensitivity_less_both.
by apply: tail_weighted => m; case: m => [|[|m]].
Qed.

(* The smaller of the two is never worse than AS/(d+1).                       *)
Theorem affine_le_sensitivity f d : (1 <= d)%N ->
  Num.min (covariance f f) ((average_sensitivity f - covariance f f) / d%:R)
  <= average_sensitivity f / d.+1%:R.
Proof.
move=> d0; set A := average_sensitivity f; set V := covariance f f.
rewrite ge_min; case: (leP V (A / d.+1%:R)) => //=; rewrite ltr_pdivrMr ?ltr0Sn // => AV.
rewrite ler_pdivrMr ?ltr0n // mulrAC ler_pdivlMr ?ltr0Sn // mulrBl lerBlDr.
by rewrite {1}mulrSr mulrDr mulr1 lerD2l ltW.
Qed.

Theorem tail_le_variances f d : (1 <= d)%N -> tail f d <= variances f / d.+1%:R.
Proof.
move=> d0; rewrite ler_pdivlMr ?ltr0Sn // mulrC variances_weighted.
by apply: tail_weighted => m dm; rewrite (leq_ltn_trans d0 dm).
Qed.

(* Equality if and only if all weight beyond degree 1 is at degree d+1.       *)
Lemma tail_eq_weighted c (a : nat) f d : (1 <= d)%N ->
    (forall m, (m <= 1)%N -> c m = 0%N) -> (forall m, (1 < m)%N -> (0 < c m)%N) ->
    c d.+1 = a -> (forall m, (d.+1 < m)%N -> (a < c m)%N) ->
  a%:R * tail f d = weighted c f
  <-> (forall T, (1 < #|T|)%N -> fourier f T != 0 -> #|T| = d.+1).
Proof.
move=> d0 low pos at_d above.
pose e T := (c #|T| - (if d < #|T| then a else 0))%N.
have e_le T : ((if d < #|T| then a else 0) <= c #|T|)%N.
  case: ifP => // dT; case: (ltngtP d.+1 #|T|) => [/above/ltnW // | | <-]; last by rewrite at_d.
  by rewrite ltnS leqNgt dT.
have tailE : a%:R * tail f d = \sum_(T : {set I}) (if d < #|T| then a else 0)%N%:R * fourier f T ^+ 2.
  rewrite /tail mulr_sumr big_mkcond; apply: eq_bigr => T _.
  by case: ifP => //; rewrite mul0r.
have sumE : weighted c f = a%:R * tail f d + \sum_(T : {set I}) (e T)%:R * fourier f T ^+ 2.
  by rewrite tailE -big_split /=; apply: eq_bigr => T _; rewrite -mulrDl -natrD subnKC.
have e_ge0 T : true -> 0 <= (e T)%:R * fourier f T ^+ 2 by rewrite mulr_ge0 ?ler0n ?sqr_ge0.
have e_eq0 T : (1 < #|T|)%N -> (e T == 0)%N = (#|T| == d.+1).
  move=> T1; rewrite /e; case: (ltngtP d.+1 #|T|) => [dT | dT | <-].
  - by rewrite subn_eq0 leqNgt above.
  - by rewrite subn0 -leqn0 leqNgt pos.
  by rewrite at_d subnn eqxx.
split=> [|only].
  rewrite sumE => /esym/eqP; rewrite -subr_eq0 addrAC subrr add0r => /eqP sum0 T T1 T_neq0.
  have /eqP := psumr_eq0P e_ge0 sum0 (isT : xpredT T).
  by rewrite mulf_eq0 expf_eq0 (negPf T_neq0) orbF pnatr_eq0 e_eq0 // => /eqP.
rewrite sumE big1 ?addr0 // => T _; have [T1|T1] := ltnP 1 #|T|; last first.
  by rewrite /e low // sub0n mul0r.
have [-> | /(only T T1)/eqP] := eqVneq (fourier f T) 0; first by rewrite expr0n mulr0.
by rewrite -e_eq0 // => /eqP->; rewrite mul0r.
Qed.

Lemma eq_tail_variances f d : (1 <= d)%N ->
  tail f d = variances f / d.+1%:R
  <-> (forall T, (1 < #|T|)%N -> fourier f T != 0 -> #|T| = d.+1).
Proof.
move=> d0; have E := tail_eq_weighted (c := fun m => if (1 < m)%N then m else 0%N) (a := d.+1) f d0.
apply: iff_trans (E _ _ _ _) => [|m|m|//|m]; rewrite ?ltnS.
- have d_neq0 : d.+1%:R != 0 :> R by rewrite pnatr_eq0.
  by rewrite -variances_weighted; split=> [-> | <-]; rewrite mulrC ?divfK ?mulKf.
- by rewrite leqNgt => /negPf->.
- by move=> m1; rewrite m1 ltnW.
- by rewrite d0.
by move=> dm; rewrite (leq_trans _ dm) // ltnS (leq_trans d0).
Qed.

Lemma eq_tail_affine f d : (1 <= d)%N ->
  tail f d = (average_sensitivity f - covariance f f) / d%:R
  <-> (forall T, (1 < #|T|)%N -> fourier f T != 0 -> #|T| = d.+1).
Proof.
move=> d0; apply: iff_trans (tail_eq_weighted (c := predn) (a := d) f d0 _ _ _ _) => [|m|m|//|m].
- have d_neq0 : d%:R != 0 :> R by rewrite pnatr_eq0 -lt0n.
  by rewrite -sensitivity_less_variance; split=> [-> | <-]; rewrite mulrC ?divfK ?mulKf.
- by case: m => [|[]].
- by case: m => [|[]].
by case: m => // m; rewrite ltnS.
Qed.

End Differences.
