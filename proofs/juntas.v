(* A function of the bits in P as a network with one neuron for each choice   *)
(* of these bits, exactly one of them active at each point:                   *)
(*     c f(x) = sum_a f(a) relu(t <a, x_P> - t |P| + c),   0 < c <= 2 t.      *)
(* The paper has t = c = 1, half the scale is t = 1/2, c = 1.                 *)

From mathcomp Require Import all_ssreflect ssralg ssrnum.
From SparseNetworks Require Import compat definitions cube network addresses wider.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Junta.

Variables (R : realFieldType) (I : finType) (P : {set I}) (t c : R) (f : cube I -> R).
Hypotheses (c_gt0 : 0 < c) (c_le : c <= 2%:R * t).
Hypothesis f_P : forall x y : cube I, {in P, x =1 y} -> f x = f y.
Implicit Types x : cube I.

(* A table entry is a subset of P, the minus signs of the point.              *)
Definition entry := {A : {set I} | A \in powerset P}.
Definition point (A : {set I}) : cube I := [ffun i => i \in A].

Definition junta : network R I entry :=
  tree (fun=> P) (fun A : entry => point (val A)) (fun A => f (point (val A)))
       (fun _ _ => 0) (fun=> c) (fun=> t).

Lemma card_entry : #|{: entry}| = (2 ^ #|P|)%N.
Proof. by rewrite card_sig -card_powerset; apply: eq_card => A. Qed.

Let entry_of x : entry.
Proof.
by exists [set i in P | x i]; rewrite powersetE; apply/subsetP => i; rewrite inE => /andP[].
Defined.

Lemma reached_junta x A : reached (fun=> P) (fun A : entry => point (val A)) A x = (A == entry_of x).
Proof.
apply/reachedP/eqP => [Ax | -> i iP]; last by rewrite ffunE inE iP.
apply/val_inj/setP=> i /=; have := valP A; rewrite powersetE inE => /subsetP AP.
case: (boolP (i \in P)) => [/Ax | /(contra (AP i))/negPf-> //].
by rewrite ffunE.
Qed.

Let t_ge0 : 0 <= t.
Proof. by rewrite -(pmulr_rge0 _ (ltr0Sn R 1)) (le_trans (ltW c_gt0)). Qed.

Lemma leaf_value_junta (A : entry) x :
  leaf_value (fun (_ : entry) (_ : I) => 0) (fun=> c) A x = c.
Proof. by rewrite /leaf_value big1 ?add0r // => i _; rewrite mul0r. Qed.

Let leaf_le (A : entry) x :
  leaf_value (fun (_ : entry) (_ : I) => 0) (fun=> c) A x <= 2%:R * t.
Proof. by rewrite leaf_value_junta. Qed.

Theorem active_junta x : #|active junta x| = 1%N.
Proof.
rewrite -(cards1 (entry_of x)) active_tree //.
by apply: eq_card => A; rewrite !inE reached_junta leaf_value_junta c_gt0 andbT.
Qed.

Theorem value_junta x : value junta x = c * f x.
Proof.
rewrite value_tree // (big_pred1 (entry_of x)) => [|A]; last exact: reached_junta.
rewrite leaf_value_junta relu_pos ?ltW // mulrC; congr (_ * _).
by apply: f_P => i iP; rewrite ffunE inE iP.
Qed.

Lemma sqnorm_junta A : sqnorm (weight junta A) = t ^+ 2 * #|P|%:R.
Proof.
rewrite mulr_natr -sumr_const [RHS]big_mkcond; apply: eq_bigr => i _ /=.
by rewrite add0r; case: ifP; rewrite ?expr0n // exprMn sqrr_sign mulr1.
Qed.

(* Scales, when |f| <= F.                                                     *)
Lemma scale_junta (F W B : R) : (forall x, `|f x| <= F) -> 0 <= W ->
  F ^+ 2 * (t ^+ 2 * #|P|%:R) <= W ^+ 2 -> F * `|t * #|P|%:R - c| <= B -> scale_at_most W B junta.
Proof.
move=> fF W0 FW FB; split=> // A A'.
  apply: le_trans FW; rewrite sqnorm_junta ler_wpM2r ?mulr_ge0 ?sqr_ge0 ?ler0n //.
  by apply: ler_norm_sqr; apply: fF.
by apply: le_trans FB; apply: ler_wpM2r => //; apply: fF.
Qed.

End Junta.

(* Among s >= 2^|P| neurons.                                                  *)
Theorem junta_among (R : realFieldType) (n s : nat) (P : {set 'I_n}) (t c W B : R) (f : cube 'I_n -> R) :
    0 < c -> c <= 2%:R * t -> (forall x y : cube 'I_n, {in P, x =1 y} -> f x = f y) ->
    (forall x, `|f x| = 1) -> (2 ^ #|P| <= s)%N -> 0 <= W -> 0 <= B ->
    t ^+ 2 * #|P|%:R <= W ^+ 2 -> `|t * #|P|%:R - c| <= B ->
  exists N : network R 'I_n 'I_s,
    [/\ value N =1 (fun x => c * f x), forall x, #|active N x| = 1%N & scale_at_most W B N].
Proof.
move=> c_gt0 c_le f_P f1 Ps W0 B0 tW tB; pose N0 := junta P t c f.
have Es : (#|{: entry P}| <= s)%N by rewrite card_entry.
exists (wider s N0); split=> [x | x |].
- by rewrite /value value_wider // -/(value _ _) value_junta.
- by rewrite /active card_active_wider // -/(active _ _) active_junta.
by apply: scale_wider => //; apply: (scale_junta c_gt0 c_le (F := 1)) => // [x||]; rewrite ?f1 ?expr1n ?mul1r.
Qed.

(* ---- As the book states them --------------------------------------------- *)

Section Book.

Variables (R : rcfType) (n p : nat) (P : {set 'I_n}) (f : cube 'I_n -> R).
Hypotheses (p_gt0 : (1 <= p)%N) (f1 : forall x, `|f x| = 1).
Hypothesis f_P : forall x y : cube 'I_n, {in P, x =1 y} -> f x = f y.

Theorem junta_networks (s : nat) : (2 ^ p <= s)%N -> (#|P| <= p)%N ->
  exists N : network R 'I_n 'I_s,
    [/\ value N =1 f, forall x, #|active N x| = 1%N & in_class 1 (Num.sqrt p%:R) p%:R N].
Proof.
move=> ps Pp; have Ps : (2 ^ #|P| <= s)%N by rewrite (leq_trans _ ps) // leq_exp2l.
have one_le : 1 <= 2%:R * 1 :> R by rewrite mulr1 ler1n.
have [||N [valueN active1 scaleN]] :=
    junta_among (W := Num.sqrt p%:R) (B := p%:R) ltr01 one_le f_P f1 Ps (sqrtr_ge0 _) (ler0n _ _).
- by rewrite expr1n mul1r sqr_sqrtr ?ler0n // ler_nat.
- rewrite mul1r ler_norml lerBrDr lerBlDr; apply/andP; split.
    by rewrite (le_trans _ (ler0n _ _)) // addrC subr_le0 ler1n.
  by rewrite ler_wpDr ?ler01 ?ler_nat.
exists N; split=> // [x|]; first by rewrite valueN mul1r.
by split=> // x; apply: eq_leq; apply: active1.
Qed.

Theorem junta_half_scale : #|P| = p ->
  exists N : network R 'I_n 'I_(2 ^ p),
    [/\ value N =1 f, forall x, #|active N x| = 1%N
      & in_class 1 (Num.sqrt p%:R / 2%:R) (`|p%:R - 2%:R| / 2%:R) N].
Proof.
move=> cardP; have Ps : (2 ^ #|P| <= 2 ^ p)%N by rewrite cardP.
have half_le : 1 <= 2%:R * 2%:R^-1 :> R by rewrite divff ?pnatr_eq0.
have W_ge0 : 0 <= Num.sqrt p%:R / 2%:R :> R by rewrite divr_ge0 ?sqrtr_ge0 ?ler0n.
have B_ge0 : 0 <= `|p%:R - 2%:R| / 2%:R :> R by rewrite divr_ge0 ?ler0n.
have [||N [valueN active1 scaleN]] := junta_among ltr01 half_le f_P f1 Ps W_ge0 B_ge0.
- by rewrite exprMn sqr_sqrtr ?ler0n // cardP mulrC.
- rewrite cardP -[X in _ <= _ / X]normr_nat -normf_div mulrBl divff ?pnatr_eq0 //.
  by rewrite mulrC.
exists N; split=> // [x|]; first by rewrite valueN mul1r.
by split=> // x; apply: eq_leq; apply: active1.
Qed.

End Book.
