(* Characters, the Fourier expansion and its uniqueness, Parseval, and the    *)
(* two sensitivities as sums of Fourier weights:                              *)
(*     AS(f) = sum_T |T| f^(T)^2,  NS_rho(f) = 1/2 sum_T (1 - rho^|T|) f^(T)^2. *)

From mathcomp Require Import all_ssreflect ssralg ssrnum.
From SparseNetworks Require Import compat definitions cube.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Fourier.

Variables (R : realFieldType) (I : finType).
Implicit Types (x y z : cube I) (i : I) (S T : {set I}) (f g : cube I -> R).

Local Notation coord := (coord R).
Local Notation character := (character R).

Lemma eq_fourier f g : f =1 g -> fourier f =1 fourier g.
Proof. by move=> fg T; apply: eq_mean => x; rewrite fg. Qed.

Lemma eq_tail f g d : f =1 g -> tail f d = tail g d.
Proof. by move=> fg; apply: eq_bigr => T _; rewrite (eq_fourier fg). Qed.

Lemma tail_ge0 f d : 0 <= tail f d.
Proof. by apply: sumr_ge0 => T _; apply: sqr_ge0. Qed.

(* ---- Characters ---------------------------------------------------------- *)

Lemma norm_character T x : `|character T x| = 1.
Proof. by rewrite normr_prod big1 // => i _; rewrite norm_coord. Qed.

Lemma character_sqr T x : character T x ^+ 2 = 1.
Proof. by rewrite -real_normK ?num_real // norm_character expr1n. Qed.

Lemma character_times T x z : character T (times x z) = character T x * character T z.
Proof. by rewrite -big_split; apply: eq_bigr => i _; apply: coord_times. Qed.

Lemma characterE T x : character T x = \prod_i (if i \in T then coord x i else 1).
Proof. exact: big_mkcond. Qed.

Lemma character_flip T x i :
  character T (flip x i) = if i \in T then - character T x else character T x.
Proof.
have off l : l != i -> coord (flip x i) l = coord x l by rewrite coord_flip => /negPf->.
case: ifPn => iT.
  rewrite /character !(bigD1 i iT) /= coord_flip eqxx mulNr; congr (- (_ * _)).
  by apply: eq_bigr => l /andP[_ /off].
by apply: eq_bigr => l lT; apply: off; apply: contraNneq iT => <-.
Qed.

(* Characters of different points are orthogonal, and different characters too. *)
Lemma sum_characters x y :
  \sum_T character T x * character T y = if x == y then #|{: cube I}|%:R else 0.
Proof.
transitivity (\prod_i (coord x i * coord y i + 1)).
  rewrite -sum_sets_prod; apply: eq_bigr => T _.
  by rewrite -character_times characterE; apply: eq_bigr => i _; rewrite coord_times.
case: (altP eqP) => [-> | /exists_neq[i xyi]].
  under eq_bigr => i _ do rewrite coord_sqr -[1 + 1]mulr2n.
  by rewrite prodr_const card_cube natrX.
by rewrite (bigD1 i) //= /coord -signr_addb -negb_eqb xyi addNr mul0r.
Qed.

Lemma character_orthonormal S T :
  mean (fun x => character S x * character T x) = (S == T)%:R.
Proof.
case: (altP eqP) => [->|ST].
  by rewrite -[RHS](mean_const I); apply: eq_mean => x; rewrite -expr2 character_sqr.
have [i iST] : exists i, (i \in S) != (i \in T).
  apply/existsP; apply: contraR ST; rewrite negb_exists => /forallP ST.
  by apply/eqP/setP=> i; apply/eqP; rewrite -[_ == _]negbK ST.
apply: (@mean_odd _ _ _ i) => x; rewrite !character_flip.
by move: iST; case: (i \in S); case: (i \in T) => //= _; rewrite ?mulNr ?mulrN.
Qed.

(* ---- The expansion ------------------------------------------------------- *)

Theorem fourier_inversion f x : f x = \sum_T fourier f T * character T x.
Proof.
rewrite /fourier /mean; under eq_bigr => T _ do rewrite mulrAC mulr_suml.
rewrite -mulr_suml exchange_big /=.
under eq_bigr => y _ do under eq_bigr => T _ do rewrite -mulrA.
under eq_bigr => y _ do rewrite -mulr_sumr sum_characters.
rewrite (bigD1 x) //= eqxx big1 ?addr0 => [|y /negPf->]; last by rewrite mulr0.
by rewrite mulfK // gt_eqF ?card_cube_gt0.
Qed.

Theorem fourier_unique (c : {set I} -> R) f :
  (forall x, f x = \sum_T c T * character T x) -> fourier f =1 c.
Proof.
move=> fE T.
transitivity (mean (fun x => \sum_S c S * (character S x * character T x))).
  by apply: eq_mean => x; rewrite fE mulr_suml; apply: eq_bigr => S _; rewrite mulrA.
rewrite mean_sum (bigD1 T) //= big1 => [|S /negPf ST].
  by rewrite meanZ character_orthonormal eqxx mulr1 addr0.
by rewrite meanZ character_orthonormal ST mulr0.
Qed.

Theorem Parseval f : mean (fun x => f x ^+ 2) = \sum_T fourier f T ^+ 2.
Proof.
transitivity (mean (fun x => \sum_T fourier f T * (f x * character T x))).
  apply: eq_mean => x; rewrite expr2 [X in _ * X]fourier_inversion mulr_sumr.
  by apply: eq_bigr => T _; rewrite mulrCA.
by rewrite mean_sum; apply: eq_bigr => T _; rewrite meanZ.
Qed.

(* ---- Differences between x and z x --------------------------------------- *)

Lemma fourier_times f z T :
  fourier (fun x => f (times x z)) T = character T z * fourier f T.
Proof.
rewrite /fourier -(mean_times _ z) -meanZ; apply: eq_mean => x.
by rewrite times_inv character_times mulrA mulrC.
Qed.

Lemma mean_sqr_difference f z :
  mean (fun x => (f x - f (times x z)) ^+ 2)
  = \sum_T 2%:R * (1 - character T z) * fourier f T ^+ 2.
Proof.
rewrite Parseval; apply: eq_bigr => T _.
have -> : fourier (fun x => f x - f (times x z)) T = (1 - character T z) * fourier f T.
  rewrite mulrBl mul1r -fourier_times -meanN -meanD.
  by apply: eq_mean => x; rewrite mulrBl.
by rewrite exprMn sqrrB character_sqr expr1n mul1r addrAC -mulr2n -mulrnBl mulr_natl.
Qed.

Lemma mean_sqr_flip f i :
  mean (fun x => (f x - f (flip x i)) ^+ 2)
  = 4%:R * \sum_(T : {set I} | i \in T) fourier f T ^+ 2.
Proof.
under eq_mean => x do rewrite flip_times.
rewrite mean_sqr_difference mulr_sumr [RHS]big_mkcond; apply: eq_bigr => T _.
set z := finfun _.
have -> : character T z = (-1) ^+ (i \in T).
  have := character_flip T [ffun=> false] i; rewrite flip_times -/z character_times.
  have -> : character T [ffun=> false] = 1.
    by apply: big1 => l _; rewrite /coord ffunE.
  by rewrite mul1r => ->; case: ifP.
case: (i \in T); last by rewrite expr0 subrr mulr0 mul0r.
by rewrite expr1 opprK -mulr2n -natrM.
Qed.

Theorem average_sensitivity_fourier f :
  average_sensitivity f = \sum_(T : {set I}) #|T|%:R * fourier f T ^+ 2.
Proof.
transitivity (4%:R^-1 * \sum_i mean (fun x => (f x - f (flip x i)) ^+ 2)).
  by rewrite -mean_sum -meanZ; apply: eq_mean => x; rewrite mulr_sumr; apply: eq_bigr => i _; rewrite mulrC.
under eq_bigr => i _ do rewrite mean_sqr_flip big_mkcond.
rewrite -mulr_sumr mulKf ?pnatr_eq0 // exchange_big /=; apply: eq_bigr => T _.
by rewrite -big_mkcond sumr_const mulr_natl.
Qed.

Lemma sum_noise_character rho T : \sum_z noise rho z * character T z = rho ^+ #|T|.
Proof.
pose F i (b : bool) :=
  (if b then (1 - rho) / 2%:R else (1 + rho) / 2%:R) * (if i \in T then (-1) ^+ b else 1).
transitivity (\sum_(z : cube I) \prod_i F i (z i)).
  by apply: eq_bigr => z _; rewrite characterE -big_split.
rewrite sum_prod -prodr_const [RHS]big_mkcond; apply: eq_bigr => i _; rewrite /F.
have half (a : R) : (a + a) / 2%:R = a by rewrite -mulr2n -[a *+ 2]mulr_natr mulfK ?pnatr_eq0.
case: (i \in T); rewrite ?mulr1 ?mulrN1 -?mulNr -mulrDl -[RHS]half; congr (_ / _).
  by rewrite opprB addrA subrK.
by rewrite addrACA addNr addr0.
Qed.

Lemma sum_noise (rho : R) : \sum_(z : cube I) noise rho z = 1.
Proof.
rewrite -[RHS](expr0 rho) -(cards0 I) -sum_noise_character.
by apply: eq_bigr => z _; rewrite /character big_set0 mulr1.
Qed.

Theorem noise_sensitivity_fourier rho f :
  noise_sensitivity rho f
  = \sum_(T : {set I}) (1 - rho ^+ #|T|) / 2%:R * fourier f T ^+ 2.
Proof.
rewrite /noise_sensitivity mean_sum.
transitivity (\sum_z \sum_T noise rho z * ((1 - character T z) / 2%:R * fourier f T ^+ 2)).
  apply: eq_bigr => z _; rewrite meanZ -mulr_sumr; congr (_ * _).
  under eq_mean => x do rewrite mulrC.
  rewrite meanZ mean_sqr_difference mulr_sumr; apply: eq_bigr => T _.
  rewrite mulrA; congr (_ * fourier f T ^+ 2); rewrite mulrA [RHS]mulrC; congr (_ * (1 - _)).
  by rewrite four expr2 invfM -mulrA mulVf ?mulr1 ?pnatr_eq0.
rewrite exchange_big; apply: eq_bigr => T _ /=; move: (_ ^+ 2) => w.
under eq_bigr => z _ do rewrite !mulrA.
rewrite -!mulr_suml; congr (_ / _ * w).
under eq_bigr => z _ do rewrite mulrBr mulr1.
by rewrite sumrB sum_noise sum_noise_character.
Qed.

(* ---- Tails --------------------------------------------------------------- *)

(* A sum of c_T f^(T)^2, c >= 0, with c_T >= a for all |T| > d is at least a tail. *)
Lemma tail_le_weighted (c : {set I} -> R) (a : R) f d :
    (forall T, 0 <= c T) -> (forall T, (d < #|T|)%N -> a <= c T) ->
  a * tail f d <= \sum_T c T * fourier f T ^+ 2.
Proof.
move=> c_ge0 c_ge; rewrite [leRHS](bigID (fun T : {set I} => (d < #|T|)%N)) /=.
rewrite -[leLHS]addr0 lerD ?sumr_ge0 // => [|T _]; last by rewrite mulr_ge0 ?sqr_ge0.
by rewrite mulr_sumr ler_sum // => T dT; rewrite ler_wpM2r ?sqr_ge0 ?c_ge.
Qed.

Theorem tail_le_average_sensitivity f d : tail f d <= average_sensitivity f / d.+1%:R.
Proof.
rewrite ler_pdivlMr ?ltr0Sn // mulrC average_sensitivity_fourier.
by apply: tail_le_weighted => T; rewrite ?ler0n ?ler_nat.
Qed.

Lemma exp_le_1 (rho : R) m : 0 <= rho <= 1 -> rho ^+ m <= 1.
Proof. by case/andP=> rho0 rho1; apply: exprn_ile1. Qed.

Lemma tail_le_noise (rho : R) f d e : 0 <= rho < 1 -> (0 < e)%N -> (e <= d.+1)%N ->
  tail f d <= 2%:R * noise_sensitivity rho f / (1 - rho ^+ e).
Proof.
move=> /andP[rho0 rho1] e0 ed.
have rho_e m : (0 < m)%N -> 0 < 1 - rho ^+ m by move=> m0; rewrite subr_gt0 exprn_ilt1 ?gtn_eqF.
rewrite ler_pdivlMr ?rho_e // mulrC noise_sensitivity_fourier [leRHS]mulr_sumr.
have -> : \sum_(T : {set I}) 2%:R * ((1 - rho ^+ #|T|) / 2%:R * fourier f T ^+ 2)
          = \sum_(T : {set I}) (1 - rho ^+ #|T|) * fourier f T ^+ 2.
  by apply: eq_bigr => T _; rewrite mulrA [2%:R * _]mulrC divfK ?pnatr_eq0.
apply: tail_le_weighted => T.
  by rewrite subr_ge0 exp_le_1 // rho0 ltW.
move=> dT; rewrite lerB // ler_wiXn2l // ?(ltW rho1) //.
exact: leq_trans ed dT.
Qed.

Theorem noise_le_average_sensitivity (rho : R) f : -1 <= rho <= 1 ->
  noise_sensitivity rho f <= (1 - rho) / 2%:R * average_sensitivity f.
Proof.
case/andP=> rho_ge rho_le; rewrite noise_sensitivity_fourier average_sensitivity_fourier.
rewrite mulr_sumr; apply: ler_sum => T _; rewrite [leRHS]mulrA ler_wpM2r ?sqr_ge0 //.
rewrite [leRHS]mulrAC ler_wpM2r ?invr_ge0 ?ler0n // -[1 in leLHS](expr1n _ #|T|) subrXX.
rewrite ler_wpM2l ?subr_ge0 //.
rewrite -[leRHS]mulr1 mulr_natl -[#|T| in leRHS]card_ord -sumr_const; apply: ler_sum => l _.
rewrite expr1n mul1r (le_trans (ler_norm _)) // normrX exprn_ile1 //.
by rewrite ler_norml rho_ge.
Qed.

End Fourier.
