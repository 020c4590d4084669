(* The same function with more neurons: silent ones up to the number s, or    *)
(* m copies of each neuron.                                                   *)

From mathcomp Require Import all_ssreflect ssralg ssrnum.
From SparseNetworks Require Import compat definitions network.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Wider.

Variables (R : realFieldType) (I J : finType) (s : nat) (N : network R I J).
Hypothesis Js : (#|J| <= s)%N.
Implicit Types (p : I -> R) (l : 'I_s) (j : J).

(* Neuron l of s is a neuron of N, or none.                                   *)
Definition neuron l : option J := omap enum_val (insub (l : nat) : option 'I_#|J|).

Lemma neuron_inj l l' j : neuron l = Some j -> neuron l' = Some j -> l = l'.
Proof.
rewrite /neuron; case: insubP => //= m _ ml [<-]; case: insubP => //= m' _ m'l' [/enum_val_inj mm].
by apply: val_inj => /=; rewrite -ml -m'l' mm.
Qed.

Lemma big_neuron (M : Type) (idx : M) (op : Monoid.com_law idx) (F : J -> M) :
  \big[op/idx]_(l < s) oapp F idx (neuron l) = \big[op/idx]_j F j.
Proof.
pose G m := oapp F idx (omap enum_val (insub m : option 'I_#|J|)).
transitivity (\big[op/idx]_(m < #|J|) G m); last first.
  rewrite [RHS](reindex (@enum_val J J)) /=; last exact/onW_bij/enum_val_bij.
  by apply: eq_bigr => m _; rewrite /G valK.
rewrite (big_ord_widen _ G Js) [RHS]big_mkcond; apply: eq_bigr => l _.
by case: ifPn => // lJ; rewrite /neuron insubN.
Qed.

Definition wider : network R I 'I_s :=
  Network (fun l => oapp (outer N) 0 (neuron l))
          (fun l i => oapp (fun j => weight N j i) 0 (neuron l))
          (fun l => oapp (bias N) 0 (neuron l)).

Lemma preactivation_wider l p :
  preactivation wider l p = oapp (fun j => preactivation N j p) 0 (neuron l).
Proof.
rewrite /preactivation /=; case: (neuron l) => //=.
by rewrite subr0 big1 // => i _; rewrite mul0r.
Qed.

Lemma value_wider p : value_at wider p = value_at N p.
Proof.
rewrite /value_at /value_with -[RHS]big_neuron; apply: eq_bigr => l _.
by rewrite preactivation_wider /=; case: (neuron l) => //=; rewrite mul0r.
Qed.

Lemma card_active_wider p : #|active_at wider p| = #|active_at N p|.
Proof.
rewrite -!sum1_card big_mkcond [RHS]big_mkcond -[RHS]big_neuron; apply: eq_bigr => l _.
by rewrite inE preactivation_wider; case: (neuron l) => [j|] /=; rewrite ?inE ?ltxx.
Qed.

Lemma scale_wider W B : 0 <= B -> scale_at_most W B N -> scale_at_most W B wider.
Proof.
move=> B0 [W0 NW NB]; split=> // l l' /=.
  rewrite /sqnorm /=; case: (neuron l') => [j'|] /=; last first.
    by rewrite big1 ?mulr0 ?sqr_ge0 // => i _; rewrite expr0n.
  by case: (neuron l) => [j|] /=; rewrite ?expr0n ?mul0r ?sqr_ge0 //; apply: NW.
case: (neuron l) => [j|] /=; rewrite ?normr0 ?mul0r //.
by case: (neuron l') => [j'|] /=; rewrite ?normr0 ?mulr0.
Qed.

End Wider.

Section Copies.

Variables (R : realFieldType) (I J : finType) (m : nat) (N : network R I J).

Definition copies : network R I (J * 'I_m) :=
  Network (fun l => outer N l.1) (fun l => weight N l.1) (fun l => bias N l.1).

Lemma value_copies p : value_at copies p = m%:R * value_at N p.
Proof.
rewrite /value_at /value_with -(pair_bigA _ (fun j _ => outer N j * relu (preactivation N j p))).
by rewrite mulr_sumr; apply: eq_bigr => j _; rewrite sumr_const card_ord mulr_natl.
Qed.

Lemma card_active_copies p : #|active_at copies p| = (m * #|active_at N p|)%N.
Proof.
have -> : active_at copies p = setX (active_at N p) setT.
  by apply/setP=> -[j l]; rewrite !inE andbT.
by rewrite cardsX cardsT card_ord mulnC.
Qed.

Lemma scale_copies W B : scale_at_most W B N -> scale_at_most W B copies.
Proof. by case=> W0 NW NB; split=> // -[j l] [j' l']; [apply: NW | apply: NB]. Qed.

End Copies.
