(* One run of the perceptron through all scales: with each letter (i, e) the  *)
(* energy b^2 |w - v|^2 falls by more than e^2, whatever the scale, so all    *)
(* scales share one budget. In an Archimedean field each scale comes to its   *)
(* end.                                                                       *)

From mathcomp Require Import all_ssreflect ssralg ssrnum.
From SparseNetworks Require Import compat definitions.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Run.

Variables (R : realFieldType) (n m : nat) (x : 'I_m -> 'I_n -> R) (w : 'I_n -> R) (b : R).
Hypotheses (b_gt0 : 0 < b) (short : forall i, sqnorm (x i) <= b ^+ 2).
Implicit Types (word : seq ('I_m * R)) (l : 'I_m * R) (g : R).

Local Notation v := (combination x b).
Local Notation run := (is_run x b w).
Local Notation gap := (gap x b w).

Definition energy word : R := sqnorm (fun a => w a - v word a) * b ^+ 2.
Definition spent word : R := \sum_(l <- word) l.2 ^+ 2.

Lemma energy_ge0 word : 0 <= energy word.
Proof. by rewrite mulr_ge0 ?sqr_ge0 ?sumr_ge0 // => a _; apply: sqr_ge0. Qed.

Lemma energy_nil : energy [::] = sqnorm w * b ^+ 2.
Proof.
by congr (_ * _); apply: eq_bigr => a _; rewrite /combination big_nil subr0.
Qed.

Lemma spent_cat word more : spent (word ++ more) = spent word + spent more.
Proof. exact: big_cat. Qed.

Lemma run_rcons word l : run (rcons word l) <-> run word /\ l.2 ^+ 2 < l.2 * gap word l.1.
Proof.
split=> [all | [all step] before l' after].
  split=> [before l' after E|]; last by apply: (all word l [::]); rewrite cats1.
  by apply: (all before l' (rcons after l)); rewrite E rcons_cat.
case: (lastP after) => [|after' l'']; first by rewrite cats1 => /rcons_inj [<- <-].
by rewrite -rcons_cons -rcons_cat => /rcons_inj [E _]; apply: all E.
Qed.

Lemma energy_rcons word l :
  energy (rcons word l)
  = energy word - 2%:R * (l.2 * gap word l.1) + l.2 ^+ 2 * (sqnorm (x l.1) / b ^+ 2).
Proof.
have b2 : b ^+ 2 != 0 by rewrite expf_neq0 ?gt_eqF.
set c := l.2 / b ^+ 2; have cb : c * b ^+ 2 = l.2 by rewrite divfK.
have square : sqnorm (fun a => w a - v (rcons word l) a)
    = sqnorm (fun a => w a - v word a) - 2%:R * (c * gap word l.1) + c ^+ 2 * sqnorm (x l.1).
  rewrite /sqnorm /definitions.gap !mulr_sumr -sumrN -!big_split; apply: eq_bigr => a _ /=.
  rewrite /combination -cats1 big_cat big_seq1 /= -/c -/(v word a) opprD addrA.
  set y := _ - v word a; rewrite sqrrB exprMn -mulr_natl; congr (_ - _ + _).
  by congr (_ * _); rewrite mulrCA.
clearbody c; rewrite /energy square [LHS]mulrDl [X in X + _]mulrBl; congr (_ - _ + _).
  by rewrite -mulrA mulrAC cb.
rewrite -cb exprMn; move: (c ^+ 2) (sqnorm (x l.1)) (b ^+ 2) b2 => C S B B0.
rewrite expr2 -{1}(divfK B0 S); move: (S / B) => T.
by rewrite -!mulrA; congr (_ * _); rewrite mulrCA [T * B]mulrC.
Qed.

(* A step at any scale.                                                       *)
Lemma energy_step word l : l.2 ^+ 2 < l.2 * gap word l.1 ->
  energy (rcons word l) + l.2 ^+ 2 < energy word.
Proof.
move=> step; have b2 : 0 < b ^+ 2 by rewrite exprn_gt0.
have least : l.2 ^+ 2 * (sqnorm (x l.1) / b ^+ 2) <= l.2 ^+ 2.
  by rewrite ler_piMr ?sqr_ge0 // ler_pdivrMr // mul1r.
rewrite energy_rcons -addrA; apply: (@le_lt_trans _ _ (energy word - 2%:R * (l.2 * gap word l.1)
  + (l.2 ^+ 2 + l.2 ^+ 2))); first by rewrite lerD2l lerD2r.
rewrite -addrA gtrDl addrC subr_lt0 mulr_natl mulr2n.
by apply: ltrD.
Qed.

Theorem energy_run word : run word ->
  energy word + spent word <= sqnorm w * b ^+ 2
  /\ (word != [::] -> energy word + spent word < sqnorm w * b ^+ 2).
Proof.
elim/last_ind: word => [_ | word l IH /run_rcons [all step]].
  by rewrite energy_nil /spent big_nil addr0.
have [before _] := IH all.
have strict : energy (rcons word l) + spent (rcons word l) < sqnorm w * b ^+ 2.
  apply: lt_le_trans before; rewrite -cats1 spent_cat /spent big_seq1 -/(spent word).
  by rewrite addrCA [ltRHS]addrC cats1 ltrD2l energy_step.
by split=> //; apply: ltW.
Qed.

(* Steps of one size, until no gap is more than g.                            *)
Lemma scale_ends (c : nat) g word : 0 < g -> run word -> energy word <= c%:R * g ^+ 2 ->
  exists more, [/\ forall l, l \in more -> `|l.2| = g, run (word ++ more)
    & forall i, `|gap (word ++ more) i| <= g].
Proof.
move=> g0; elim: c word => [|c IH] word all budget.
all: case: (pickP (fun i => g < `|gap word i|)) => [i large | small]; last first.
all: try by exists [::]; rewrite cats0; split=> // i; rewrite leNgt small.
all: pose l : 'I_m * R := (i, Num.sg (gap word i) * g).
all: have gap0 : gap word i != 0 by rewrite -normr_gt0 (lt_trans g0).
all: have size : l.2 ^+ 2 = g ^+ 2 by rewrite exprMn sqr_sg gap0 mul1r.
all: have step : l.2 ^+ 2 < l.2 * gap word l.1
  by rewrite size /= mulrAC -normrEsg mulrC expr2 ltr_pM2l.
all: have := energy_step step; rewrite size => fall.
  have := le_lt_trans (lerD (energy_ge0 (rcons word l)) (sqr_ge0 g)) (lt_le_trans fall budget).
  by rewrite mul0r addr0 ltxx.
have [|| more [sizes whole small]] := IH (rcons word l).
- by apply/run_rcons.
- rewrite -(lerD2r (g ^+ 2)) (le_trans (ltW fall)) // (le_trans budget) //.
  by rewrite -[c.+1]addn1 natrD mulrDl mul1r.
exists (l :: more); rewrite -cat_rcons; split=> // l'.
rewrite inE => /orP [/eqP-> | /sizes //].
by rewrite /= normrM normr_sg gap0 mul1r gtr0_norm.
Qed.

Lemma spent_size g word : (forall l, l \in word -> `|l.2| = g) -> spent word = (size word)%:R * g ^+ 2.
Proof.
rewrite /spent; elim: word => [|l word IH] sizes; first by rewrite big_nil mul0r.
rewrite big_cons IH => [|l' inside]; last by rewrite sizes // inE inside orbT.
rewrite -[l.2 ^+ 2]real_normK ?num_real // sizes ?mem_head //.
by rewrite /= -[(size word).+1]addn1 natrD mulrDl mul1r addrC.
Qed.

Lemma all_scales (gamma : nat -> R) (L : nat) : (forall z : R, exists c : nat, z <= c%:R) ->
    (forall r, (r < L)%N -> 0 < gamma r) ->
  exists words : nat -> seq ('I_m * R), let upto r := flatten (mkseq words r) in
  [/\ forall r l, (r < L)%N -> l \in words r -> `|l.2| = gamma r, run (upto L),
      spent (upto L) = \sum_(r < L) (size (words r))%:R * gamma r ^+ 2
    & forall r i, (r < L)%N -> `|gap (upto r.+1) i| <= gamma r].
Proof.
move=> archimedean; elim: L => [_ | L IH positive].
  exists (fun=> [::]); split=> //; last by rewrite /spent big_nil big_ord0.
  by case.
have [r rL | words [sizes all cost small]] := IH; first by apply: positive; rewrite ltnS ltnW.
have gL := positive L (ltnSn L); pose word := flatten (mkseq words L).
have [c budget] := archimedean (energy word / gamma L ^+ 2).
have [|more [sizeL allL smallL]] := @scale_ends c (gamma L) word gL all.
  by rewrite -ler_pdivrMr ?exprn_gt0.
pose words' r := if r == L then more else words r.
have same r : (r <= L)%N -> mkseq words' r = mkseq words r.
  move=> rL; apply/eq_in_map => q; rewrite mem_iota add0n => /andP [_ qr].
  by rewrite /words' ltn_eqF // (leq_trans qr).
have last : flatten (mkseq words' L.+1) = word ++ more.
  by rewrite mkseqS same // -cats1 flatten_cat /= cats0 /words' eqxx.
exists words' => upto; split.
- move=> r l; rewrite ltnS leq_eqVlt /words'; case: eqP => [-> _ | _ /=]; [exact: sizeL | exact: sizes].
- by rewrite /upto last.
- rewrite /upto last spent_cat cost (spent_size sizeL) big_ord_recr /= {2}/words' eqxx; congr (_ + _).
  by apply: eq_bigr => r _; rewrite /words' ltn_eqF.
move=> r i; rewrite ltnS leq_eqVlt => /orP [/eqP-> | rL]; first by rewrite /upto last.
by rewrite /upto same //; apply: small.
Qed.

(* <v, x_i> and f(x_i) = <w, x_i>.                                            *)
Local Notation at_v word i := (\sum_a v word a * x i a).
Local Notation at_w i := (\sum_a w a * x i a).

Lemma gapE word i : gap word i = at_w i - at_v word i.
Proof. by rewrite /definitions.gap -sumrB; apply: eq_bigr => a _; rewrite mulrBl. Qed.

(* The layers of a positive function are found, and nothing else.             *)
Lemma layer g word i : `|gap word i| <= g ->
  (g < at_v word i -> 0 < at_w i) /\ (2%:R * g < at_w i -> g < at_v word i).
Proof.
rewrite gapE ler_norml lerBlDr => /andP [low high]; split=> [large | large].
  apply: lt_le_trans (_ : at_v word i - g <= _); first by rewrite subr_gt0.
  by move: low; rewrite lerBrDr addrC.
by move: (lt_le_trans large high); rewrite mulr_natl mulr2n ltrD2l.
Qed.

Lemma halved (gamma : nat -> R) (words : nat -> seq ('I_m * R)) (L : nat) :
    (forall r, gamma r.+1 ^+ 2 = gamma r ^+ 2 / 2%:R) ->
  let letters r : R := (size (flatten (mkseq words r)))%:R in
  \sum_(r < L) gamma r ^+ 2 * letters r.+1 + 2%:R * gamma L ^+ 2 * letters L
  = 2%:R * \sum_(r < L) (size (words r))%:R * gamma r ^+ 2.
Proof.
move=> halves letters.
have grow r : letters r.+1 = letters r + (size (words r))%:R.
  by rewrite /letters mkseqS -cats1 flatten_cat /= cats0 size_cat natrD.
have two r : 2%:R * gamma r.+1 ^+ 2 = gamma r ^+ 2 by rewrite halves mulrC divfK ?pnatr_eq0.
elim: L => [|L IH]; first by rewrite !big_ord0 /letters /= !mulr0 addr0.
rewrite !big_ord_recr /= two [RHS]mulrDr -IH -[LHS]addrA -[RHS]addrA; congr (_ + _).
rewrite -mulr2n -mulr_natl mulrA grow mulrDr; congr (_ + _).
by rewrite -mulrA [gamma L ^+ 2 * _]mulrC.
Qed.

Theorem layers (gamma : nat -> R) (M : R) (L : nat) : (forall z : R, exists c : nat, z <= c%:R) ->
    sqnorm w * b ^+ 2 <= M ^+ 2 -> (forall r, 0 < gamma r) ->
    (forall r, gamma r.+1 ^+ 2 = gamma r ^+ 2 / 2%:R) ->
  exists words : nat -> seq ('I_m * R), let upto r := flatten (mkseq words r.+1) in
  [/\ forall r l, (r < L)%N -> l \in words r -> `|l.2| = gamma r,
      forall r i, (r < L)%N -> gamma r < at_v (upto r) i -> 0 < at_w i,
      forall r i, (r < L)%N -> 2%:R * gamma r < at_w i -> gamma r < at_v (upto r) i
    & \sum_(r < L) gamma r ^+ 2 * (size (upto r))%:R <= 2%:R * M ^+ 2].
Proof.
move=> archimedean scale positive halves.
have [words [sizes all cost small]] := all_scales archimedean (fun r (_ : (r < L)%N) => positive r).
exists words => upto; split=> // [r i rL | r i rL |].
- exact: (layer (small r i rL)).1.
- exact: (layer (small r i rL)).2.
apply: (@le_trans _ _ (2%:R * spent (flatten (mkseq words L)))).
  rewrite cost -(halved words L halves) lerDl mulr_ge0 ?ler0n // mulr_ge0 ?ler0n // sqr_ge0 //.
rewrite ler_wpM2l ?ler0n // (le_trans _ scale) // (le_trans _ (energy_run all).1) // lerDr.
exact: energy_ge0.
Qed.

End Run.
