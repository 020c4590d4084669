(* Learning with rounding as a sparse network on the lift of the binary       *)
(* digits: <w, y> = <v, z(y)> + c, with v_ib = - w_i 2^b / 2, and one tent    *)
(* for each integer a in 0, ..., A, A = m (q-1)^2.                            *)

From mathcomp Require Import all_ssreflect ssralg ssrnum.
From SparseNetworks Require Import compat definitions cube identities network tents.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(* ---- Binary digits ------------------------------------------------------- *)

Lemma sum_digits l a : (a < 2 ^ l)%N -> (\sum_(b < l) odd (a %/ 2 ^ b) * 2 ^ b = a)%N.
Proof.
elim: l a => [|l IH] a; first by rewrite expn0 ltnS leqn0 big_ord0 => /eqP.
move=> a_lt; rewrite big_ord_recl expn0 divn1 muln1 -[RHS]odd_double_half; congr (_ + _)%N.
have a2_lt : (a./2 < 2 ^ l)%N by rewrite -divn2 ltn_divLR // -expnSr.
rewrite -[in RHS](IH _ a2_lt) -muln2 big_distrl /=; apply: eq_bigr => b _.
by rewrite /bump /= add1n -divn2 -divnMA -expnS -mulnA -expnSr.
Qed.

Lemma geometric a l : (0 < a)%N -> ((a - 1) * (\sum_(b < l) a ^ b) = a ^ l - 1)%N.
Proof.
move=> a_gt0; elim: l => [|l IH]; first by rewrite big_ord0 muln0.
rewrite big_ord_recr /= mulnDr IH mulnBl mul1n -expnS addnC.
by rewrite addnBA ?expn_gt0 ?a_gt0 // subnK // leq_pexp2l.
Qed.

Lemma ord_le q (a : 'I_q) : (a <= q - 1)%N.
Proof. by rewrite subn1 -ltnS (ltn_predK (ltn_ord a)). Qed.

Section Rounding.

Variables (R : realFieldType) (q m : nat) (w : 'I_m -> 'I_q).
Hypotheses (q_gt1 : (1 < q)%N) (m_gt0 : (0 < m)%N).
Implicit Types y : 'I_m -> 'I_q.

Let l := length q.
Let A := (m * (q - 1) ^ 2)%N.

Definition digit_weight (ib : 'I_m * 'I_l) : R := - ((w ib.1 : nat)%:R * 2%:R ^+ ib.2 / 2%:R).
Definition shift : R := (\sum_i (w i : nat) * (2 ^ l - 1))%N%:R / 2%:R.

Lemma inner_le y : (inner w y <= A)%N.
Proof.
rewrite /inner /A -[X in (X * _)%N]card_ord -sum_nat_const; apply: leq_sum => i _.
by rewrite -mulnn leq_mul // ord_le.
Qed.

Lemma coord_digit (x : cube ('I_m * 'I_l)) ib : coord R x ib = 1 - 2%:R * (x ib)%:R.
Proof.
by rewrite /coord; case: (x ib); rewrite ?mulr0 ?subr0 // mulr1 expr1 opprD addNKr.
Qed.

Theorem inner_digits y : form digit_weight (digits y) + shift = (inner w y)%:R.
Proof.
pose term i b : R := (w i : nat)%:R * 2%:R ^+ b.
have -> : form digit_weight (digits y)
    = \sum_i \sum_(b < l) (term i b * (odd (y i %/ 2 ^ b))%:R - term i b / 2%:R).
  rewrite /form pair_bigA; apply: eq_bigr => -[i b] _ /=.
  rewrite coord_digit ffunE /= /digit_weight /= -/(term i b) mulNr mulrBr mulr1 opprB mulrA.
  by rewrite divfK ?pnatr_eq0.
rewrite /shift /inner !natr_sum mulr_suml -big_split; apply: eq_bigr => i _ /=.
rewrite sumrB -mulr_suml -mulr_sumr.
have -> : \sum_(b < l) term i b * (odd (y i %/ 2 ^ b))%:R = (w i * y i)%:R.
  rewrite -{2}(@sum_digits l (y i)) ?(leq_trans (ltn_ord _)) ?up_logP //.
  rewrite natrM natr_sum mulr_sumr; apply: eq_bigr => b _.
  by rewrite /term natrM natrX -mulrA [_%:R * 2%:R ^+ b]mulrC.
have -> : \sum_(b < l) (2%:R : R) ^+ b = (2 ^ l - 1)%:R.
  by rewrite -geometric // mul1n natr_sum; apply: eq_bigr => b _; rewrite natrX.
by rewrite [X in _ + X / _]natrM subrK.
Qed.

(* ---- The network --------------------------------------------------------- *)

Variable lambda : nat -> nat.

Definition rounding_network : network R (('I_m * 'I_l) * ('I_m * 'I_l)) 'I_A.+1 :=
  Network (fun a : 'I_A.+1 => 2%:R * (lambda a)%:R)
          (fun a : 'I_A.+1 => lifted_weight digit_weight 1 (a%:R - shift))
          (fun a : 'I_A.+1 => lifted_bias digit_weight 1 (a%:R - shift) 2%:R^-1).

Let half_gt0 : 0 < 2%:R^-1 :> R. Proof. by rewrite invr_gt0 ltr0n. Qed.
Let half_le : 2%:R^-1 <= 1 * 1 ^+ 2 :> R.
Proof. by rewrite expr1n mulr1 invf_le1 ?ltr0n // ler1n. Qed.

Lemma preactivation_rounding a y : preactivation rounding_network a (coord R (lifted (digits y)))
  = tent 1 2%:R^-1 1 0 (inner w y) (fun a : 'I_A.+1 => a : nat) a.
Proof.
rewrite /preactivation linearisation /tent -inner_digits !mul1r !add0r.
by rewrite opprB addrA addrAC.
Qed.

Theorem value_rounding y : value rounding_network (lifted (digits y)) = (lambda (inner w y))%:R.
Proof.
rewrite /value /value_at /value_with; under eq_bigr => a _ do rewrite preactivation_rounding.
rewrite (sum_tents _ _ _ half_gt0 half_le) (big_pred1 (Ordinal (inner_le y : (_ < A.+1)%N))) //.
by rewrite mulrAC divff ?pnatr_eq0 // mul1r.
Qed.

Theorem sparse_rounding : sparse_on (fun y => coord R (lifted (digits y))) 1 rounding_network.
Proof.
move=> y; apply/card_le1_eqP => a a'; rewrite !inE !preactivation_rounding !tent_gt0 //.
by move=> /eqP <- /eqP /val_inj.
Qed.

(* ---- Norms --------------------------------------------------------------- *)

Let V : R := sqnorm digit_weight.

Lemma sqr_digit_weight i b : 12%:R * digit_weight (i, b) ^+ 2 = ((w i : nat) ^ 2 * (3 * 4 ^ b))%:R.
Proof.
rewrite /digit_weight /= sqrrN -natrX -natrM exprMn exprVn -!natrX mulrA -natrM.
apply: (canLR (mulfK _)); first by rewrite pnatr_eq0.
rewrite -natrM expnMn -expnM [(b * 2)%N]mulnC expnM; congr _%:R.
by rewrite mulnCA -[RHS]mulnA [(3 * _ * _)%N]mulnAC.
Qed.

Lemma sqnorm_digit_weight : 12%:R * V = (\sum_i (w i : nat) ^ 2 * (4 ^ l - 1))%N%:R.
Proof.
have -> : V = \sum_i \sum_b digit_weight (i, b) ^+ 2 by rewrite pair_bigA; apply: eq_bigr => -[].
rewrite natr_sum mulr_sumr; apply: eq_bigr => i _.
rewrite -(@geometric 4) // !big_distrr /= natr_sum; apply: eq_bigr => b _.
exact: sqr_digit_weight.
Qed.

Lemma power_le : (2 ^ l <= 2 * (q - 1))%N.
Proof.
have l_gt0 : (0 < l)%N by rewrite up_log_gt0.
by rewrite -(prednK l_gt0) expnS leq_mul // -ltnS subn1 prednK ?(ltnW q_gt1) // up_log_gtn.
Qed.

Lemma V_le : V <= (m * (q - 1) ^ 2 * (4 ^ l - 1))%:R / 12%:R.
Proof.
rewrite ler_pdivlMr ?ltr0n // mulrC sqnorm_digit_weight ler_nat -mulnA.
rewrite -[X in (_ <= X * _)%N]card_ord -sum_nat_const; apply: leq_sum => i _.
by rewrite leq_mul // leq_exp2r // ord_le.
Qed.

Lemma V_le_q : (m * (q - 1) ^ 2 * (4 ^ l - 1))%:R / 12%:R <= (m * (q - 1) ^ 4)%:R / 3%:R :> R.
Proof.
rewrite ler_pdivrMr ?ltr0n // mulrAC ler_pdivlMr ?ltr0n // -!natrM ler_nat.
have four_le : (4 ^ l <= 4 * (q - 1) ^ 2)%N.
  by rewrite -[4%N]/(2 ^ 2)%N -expnM mulnC expnM -expnMn leq_exp2r // power_le.
rewrite (expnM _ 2 2); move: ((q - 1) ^ 2)%N four_le => N four_le.
rewrite -[(N ^ 2)%N]mulnn -[12%N]/(4 * 3)%N !mulnA leq_mul // -!mulnA !leq_mul //.
by rewrite mulnC (leq_trans (leq_subr _ _)).
Qed.

Lemma shift_range : 0 <= shift <= A%:R.
Proof.
rewrite divr_ge0 ?ler0n //= ler_pdivrMr ?ltr0n // -natrM ler_nat /A -mulnA.
rewrite -[X in (_ <= X * _)%N]card_ord -sum_nat_const; apply: leq_sum => i _.
by rewrite -mulnn -mulnA leq_mul ?ord_le // (leq_trans (leq_subr _ _)) // mulnC power_le.
Qed.

Lemma centre_le (a : 'I_A.+1) : `|a%:R - shift| <= A%:R.
Proof.
have /andP[c0 cA] := shift_range; rewrite ler_norml lerBrDr lerBlDr.
apply/andP; split; first by rewrite addrC (le_trans _ (ler0n _ a)) // subr_le0.
by rewrite ler_wpDr // ler_nat -ltnS.
Qed.

Lemma V_ge0 : 0 <= V.
Proof. by apply: sumr_ge0 => i _; apply: sqr_ge0. Qed.

Lemma weight_le (a : 'I_A.+1) :
  sqnorm (weight rounding_network a) <= V ^+ 2 + 4%:R * A%:R ^+ 2 * V.
Proof.
rewrite sqnorm_lifted expr1n mul1r addrC -/V; apply: lerD.
  by rewrite lerBlDr lerDl sumr_ge0 // => ib _; rewrite (exprM _ 2 2) sqr_ge0.
by rewrite ler_wpM2r ?V_ge0 // ler_wpM2l ?ler0n // ler_norm_sqr ?centre_le.
Qed.

Lemma bias_le (a : 'I_A.+1) : `|bias rounding_network a| <= V + A%:R ^+ 2.
Proof.
have A_ge1 : 1 <= A%:R ^+ 2 :> R.
  by rewrite -natrX ler1n expn_gt0 muln_gt0 m_gt0 expn_gt0 subn_gt0 q_gt1.
have half_le1 : 2%:R^-1 <= 1 :> R by rewrite invf_le1 ?ltr0n // ler1n.
have sqr_le : (a%:R - shift) ^+ 2 <= A%:R ^+ 2 by rewrite ler_norm_sqr ?centre_le.
rewrite /= /lifted_bias mul1r -/V ler_norml; apply/andP; split.
  rewrite -[leLHS]add0r lerD ?addr_ge0 ?V_ge0 ?sqr_ge0 // lerN2.
  by rewrite (le_trans half_le1) // (le_trans A_ge1) // lerDr V_ge0.
by rewrite lerBlDr -[leLHS]addr0 !lerD // ltW.
Qed.

End Rounding.

(* ---- As the book states them --------------------------------------------- *)

Theorem rounding (R : rcfType) (q m p : nat) (w : 'I_m -> 'I_q) (lambda : nat -> nat) :
    (1 < q)%N -> (1 <= m)%N -> (forall a, lambda a <= p - 1)%N ->
  let A := (m * (q - 1) ^ 2)%N in
  let v (ib : 'I_m * 'I_(length q)) : R := - ((w ib.1 : nat)%:R * 2%:R ^+ ib.2 / 2%:R) in
  exists N : network R (('I_m * 'I_(length q)) * ('I_m * 'I_(length q))) 'I_A.+1,
  [/\ forall y : 'I_m -> 'I_q, value N (lifted (digits y)) = (lambda (inner w y))%:R,
      sparse_on (fun y : 'I_m -> 'I_q => coord R (lifted (digits y))) 1 N,
      scale_at_most (2%:R * (p - 1)%:R * (sqnorm v + 2%:R * A%:R * Num.sqrt (sqnorm v)))
                    (2%:R * (p - 1)%:R * (A%:R ^+ 2 + sqnorm v)) N,
      sqnorm v <= (m * (q - 1) ^ 2 * (4 ^ length q - 1))%:R / 12%:R
    & (m * (q - 1) ^ 2 * (4 ^ length q - 1))%:R / 12%:R <= (m * (q - 1) ^ 4)%:R / 3%:R :> R].
Proof.
move=> q_gt1 m_gt0 lambda_le A v; exists (rounding_network R w lambda); split.
- exact: value_rounding.
- exact: sparse_rounding.
- have V0 := V_ge0 R w; have r0 := sqrtr_ge0 (sqnorm v).
  have u_le j : `|outer (rounding_network R w lambda) j| <= 2%:R * (p - 1)%:R.
    by rewrite ger0_norm ?mulr_ge0 ?ler0n // ler_wpM2l ?ler0n // ler_nat.
  have S_ge0 : 0 <= sqnorm v + 2%:R * A%:R * Num.sqrt (sqnorm v).
    by rewrite addr_ge0 // !mulr_ge0 ?ler0n.
  split=> [|j l|j l]; first by rewrite !mulr_ge0 ?ler0n.
    rewrite [leRHS]exprMn; apply: ler_pM; first exact: sqr_ge0.
    - by apply: sumr_ge0 => i _; apply: sqr_ge0.
    - exact: ler_norm_sqr.
    apply: le_trans (weight_le R w q_gt1 lambda l) _; rewrite sqrrD [leRHS]addrAC.
    rewrite [in leRHS]exprMn sqr_sqrtr // [in leRHS]exprMn -four lerDl mulrn_wge0 //.
    by rewrite !mulr_ge0 ?ler0n.
  apply: ler_pM => //; rewrite addrC; exact: bias_le.
- exact: V_le.
exact: V_le_q.
Qed.

(* The scale in q, m and p alone, where |v|^2 <= m (q-1)^4/3.                 *)
Theorem rounding_scale (R : rcfType) (q m : nat) (V : R) : 0 <= V ->
    V <= (m * (q - 1) ^ 4)%:R / 3%:R ->
  let A := (m * (q - 1) ^ 2)%N in
  V + 2%:R * A%:R * Num.sqrt V
    <= (q - 1)%:R ^+ 4 * (m%:R / 3%:R + 2%:R / Num.sqrt 3%:R * (m%:R * Num.sqrt m%:R))
  /\ A%:R ^+ 2 + V <= (q - 1)%:R ^+ 4 * (m%:R ^+ 2 + m%:R / 3%:R).
Proof.
rewrite natrM natrX => V0 V_le A; set Q : R := (q - 1)%:R in V_le *.
have Q0 : 0 <= Q by rewrite ler0n.
have AE : A%:R = m%:R * Q ^+ 2 :> R by rewrite natrM natrX.
have third : m%:R * Q ^+ 4 / 3%:R = Q ^+ 4 * (m%:R / 3%:R) by rewrite mulrAC mulrC.
rewrite third in V_le; have QQ : Q ^+ 4 = Q ^+ 2 * Q ^+ 2 by rewrite -exprD.
pose r : R := Q ^+ 2 * (Num.sqrt m%:R / Num.sqrt 3%:R).
have r0 : 0 <= r by apply: mulr_ge0; rewrite ?sqr_ge0 // divr_ge0 ?sqrtr_ge0.
have r_sqr : r ^+ 2 = Q ^+ 4 * (m%:R / 3%:R).
  by rewrite exprMn expr_div_n !sqr_sqrtr ?ler0n // -exprM.
have root : Num.sqrt V <= r by rewrite -(ger0_norm r0) -sqrtr_sqr ler_wsqrtr // r_sqr.
rewrite !mulrDr; split; last by rewrite lerD // AE exprMn QQ -expr2 mulrC.
rewrite lerD //; apply: le_trans (ler_wpM2l _ root) _; first by rewrite mulr_ge0 ?ler0n.
by rewrite AE /r rounding_product QQ.
Qed.

Theorem network_for_any_map (R : realFieldType) (q m : nat) (w : 'I_m -> 'I_q) (label : nat -> nat) :
    (1 < q)%N ->
  exists N : network R (('I_m * 'I_(length q)) * ('I_m * 'I_(length q))) 'I_(m * (q - 1) ^ 2).+1,
    (forall y : 'I_m -> 'I_q, value N (lifted (digits y)) = (label (inner w y))%:R)
    /\ sparse_on (fun y : 'I_m -> 'I_q => coord R (lifted (digits y))) 1 N.
Proof.
move=> q_gt1; exists (rounding_network R w label).
by split; [apply: value_rounding | apply: sparse_rounding].
Qed.

Theorem lambda_identity (q p m : nat) (w y : 'I_m -> 'I_q) :
  ((\sum_(i < m) (w i * y i %% q)) %% q %% p = (inner w y %% q) %% p
  /\ inner w y <= m * (q - 1) ^ 2)%N.
Proof. by split; [rewrite modn_summ | apply: inner_le]. Qed.

Theorem linearisation_with_constant (R : realFieldType) (K : finType) (v : K -> R) (c a : R)
    (z : cube K) :
  let w il := if il.1 == il.2 then 2%:R * (a - c) * v il.1 else - (v il.1 * v il.2) in
  let b := sqnorm v + (a - c) ^+ 2 - 2%:R^-1 in
  2%:R^-1 - (\sum_i v i * coord R z i + c - a) ^+ 2 = \sum_il w il * coord R (lifted z) il - b.
Proof.
move=> w b; have -> : \sum_i v i * coord R z i + c - a = form v z - (a - c).
  by rewrite opprB addrA.
have := linearisation v 1 (a - c) 2%:R^-1 z; rewrite /lifted_bias !mul1r => <-.
by congr (_ - _); apply: eq_bigr => il _; rewrite /lifted_weight mulr1 mul1r.
Qed.

Theorem linear_cases (q p m : nat) (w y : 'I_m -> 'I_q) : (1 <= q)%N ->
  let f := ((inner w y %% q) %% p)%N in
  [/\ (p %| q)%N -> (f = inner w y %[mod p])%N, (q <= p)%N -> f = (inner w y %% q)%N
    & (f = inner w y %[mod gcdn p q])%N].
Proof.
move=> q_gt0 f; rewrite /f; split=> [pq | qp |]; first by rewrite modn_mod modn_dvdm.
  by rewrite modn_small // (leq_trans _ qp) // ltn_mod.
by rewrite modn_dvdm ?dvdn_gcdl // modn_dvdm ?dvdn_gcdr.
Qed.

Theorem norms (R : realFieldType) (q m a : nat) (w : 'I_m -> 'I_q) :
    (1 < q)%N -> (1 <= m)%N -> (a <= m * (q - 1) ^ 2)%N ->
  let A := (m * (q - 1) ^ 2)%N in
  let v (ib : 'I_m * 'I_(length q)) : R := - ((w ib.1 : nat)%:R * 2%:R ^+ ib.2 / 2%:R) in
  let c : R := (\sum_i (w i : nat) * (2 ^ length q - 1))%N%:R / 2%:R in
  let W il := if il.1 == il.2 then 2%:R * (a%:R - c) * v il.1 else - (v il.1 * v il.2) in
  [/\ sqnorm W <= sqnorm v ^+ 2 + 4%:R * A%:R ^+ 2 * sqnorm v,
      `|sqnorm v + (a%:R - c) ^+ 2 - 2%:R^-1| <= sqnorm v + A%:R ^+ 2
    & sqnorm v <= (m * (q - 1) ^ 4)%:R / 3%:R].
Proof.
move=> q_gt1 m_gt0 aA A v c W; pose j : 'I_A.+1 := Ordinal (aA : (a < A.+1)%N).
have -> : sqnorm W = sqnorm (weight (rounding_network R w id) j).
  by apply: eq_bigr => il _; rewrite /W /= /lifted_weight mulr1 mul1r.
have -> : sqnorm v + (a%:R - c) ^+ 2 - 2%:R^-1 = bias (rounding_network R w id) j.
  by rewrite /= /lifted_bias mul1r.
split; [exact: weight_le | exact: bias_le | exact: le_trans (V_le _ _) (V_le_q _ _ q_gt1)].
Qed.

(* floor(p t/q) = - q^-1 ((p t mod q) mod p) modulo p, and the same with      *)
(* rounding to the nearest integer; q' = q^-1 modulo p.                       *)
Theorem lwr_identities (p q q' t : nat) : (1 <= q)%N -> (q' * q = 1 %[mod p])%N ->
  ((p * t) %/ q + q' * ((p * t %% q) %% p) = 0 %[mod p])%N
  /\ ((2 * (p * t) + q) %/ (2 * q) + q' * ((p * t + q./2) %% q) = q' * q./2 %[mod p])%N.
Proof.
move=> q_gt0 inverse.
have key n : (n %/ q + q' * (n %% q) = q' * n %[mod p])%N.
  rewrite [in RHS](divn_eq n q) mulnDr mulnCA -[RHS]modnDml -(modnMmr (n %/ q)) inverse.
  by rewrite modnMmr muln1 modnDml.
split; first by rewrite -modnDmr modnMmr modnDmr key mulnCA modnMr mod0n.
rewrite divnMA [(2 * (p * t))%N]mulnC divnMDl // divn2 key mulnDr -modnDml mulnCA modnMr.
by rewrite add0n.
Qed.
