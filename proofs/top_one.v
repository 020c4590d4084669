(* Selection by the larger of z_1, z_2 = B0 +- eta t, t = sum_i x_i, n odd.   *)
(* A flip that changes the sign of t moves the value by (u_1 - u_2)(B0 + eta), *)
(* any other by 2 u_1 eta or 2 u_2 eta.                                       *)

From mathcomp Require Import all_ssreflect ssralg ssrnum.
From SparseNetworks Require Import compat identities definitions cube parity.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(* ---- Points by the number of their minus signs --------------------------- *)

Section Count.

Variables (R : realFieldType) (n : nat).
Implicit Types (x : cube 'I_n) (q : nat) (F G : nat -> R).

Definition minus x : nat := minus_signs setT x.

Lemma minusE x : minus x = (\sum_i x i)%N.
Proof.
rewrite /minus /minus_signs -sum1_card [LHS]big_mkcond; apply: eq_bigr => i _.
by rewrite !inE; case: (x i).
Qed.

Lemma sum_minus F : \sum_x F (minus x) = \sum_(T : {set 'I_n}) F #|T|.
Proof.
rewrite (reindex (fun T : {set 'I_n} => [ffun i => i \in T])) /=.
  apply: eq_bigr => T _; congr F; rewrite /minus /minus_signs; apply: eq_card => i.
  by rewrite !inE ffunE.
exists (fun x : cube 'I_n => [set i | x i]) => [T _ | x _].
  by apply/setP=> i; rewrite inE ffunE.
by apply/ffunP=> i; rewrite ffunE inE.
Qed.

Lemma mean_minus q : mean (fun x => (minus x == q)%:R : R) = 'C(n, q)%:R / 2%:R ^+ n.
Proof.
rewrite /mean (sum_minus (fun a => (a == q)%:R)) card_cube card_ord natrX; congr (_ / _).
rewrite -[n in 'C(n, _)]card_ord -card_draws -sum1_card natr_sum [RHS]big_mkcond.
by apply: eq_bigr => T _; rewrite inE; case: eqP.
Qed.

Lemma minus_flip x i : minus (flip x i) = if x i then (minus x).-1 else (minus x).+1.
Proof.
rewrite !minusE (bigD1 i) //= [in RHS](bigD1 i) //= ffunE eqxx addbT.
have -> : (\sum_(l | l != i) flip x i l = \sum_(l | l != i) x l)%N.
  by apply: eq_bigr => l /negPf li; rewrite ffunE li addbF.
by case: (x i).
Qed.

Lemma minus_opposite x : (minus x + minus (times x [ffun=> true]) = n)%N.
Proof.
rewrite !minusE -big_split /= -[RHS]card_ord -sum1_card; apply: eq_bigr => i _.
by rewrite !ffunE addbT; case: (x i).
Qed.

Lemma minus_le x : (minus x <= n)%N.
Proof. by rewrite -[X in (_ <= X)%N](minus_opposite x) leq_addr. Qed.

(* The sensitivity of a function of the number of minus signs.                *)
Lemma sensitivity_layers G x : let q := minus x in
  sensitivity (fun y => G (minus y)) x
  = q%:R * ((G q - G q.-1) ^+ 2 / 4%:R) + (n - q)%:R * ((G q - G q.+1) ^+ 2 / 4%:R).
Proof.
move=> q; rewrite /sensitivity (bigID (fun i => x i)) /=.
have plus : (n - q)%N = #|[pred i | ~~ x i]|.
  apply/eqP; rewrite -(eqn_add2l q) subnKC ?minus_le // /q minusE -sum1_card [X in (_ + X)%N]big_mkcond.
  rewrite -big_split /= -{1}[n]card_ord -sum1_card; apply/eqP; apply: eq_bigr => i _.
  by rewrite inE; case: (x i).
have minusC : q = #|[pred i | x i]|.
  by rewrite /q /minus /minus_signs; apply: eq_card => i; rewrite !inE.
congr (_ + _).
  rewrite {1}minusC mulr_natl -sumr_const; apply: eq_bigr => i xi.
  by rewrite minus_flip xi.
rewrite plus mulr_natl -sumr_const; apply: eq_bigr => i xi.
by rewrite minus_flip (negPf xi).
Qed.

Lemma sum_coord x : \sum_i coord R x i = n%:R - 2%:R * (minus x)%:R.
Proof.
have := sum_signs [set: 'I_n] R x; rewrite cardsT card_ord => <-.
by apply: eq_bigl => i; rewrite inE.
Qed.

End Count.

(* ---- Selection ----------------------------------------------------------- *)

Section Selection.

Variables (R : realFieldType) (p : nat) (u u' B0 eta : R).
Hypothesis eta_gt0 : 0 < eta.

Let n := p.*2.+1.
Let t (x : cube 'I_n) : R := \sum_i coord R x i.
Definition selected x : R :=
  if B0 - eta * t x < B0 + eta * t x then u * (B0 + eta * t x) else u' * (B0 - eta * t x).

Let T q : R := n%:R - 2%:R * q%:R.
Let G q : R := if (q <= p)%N then u * (B0 + eta * T q) else u' * (B0 - eta * T q).

Lemma T_gt0 q : (0 < T q) = (q <= p)%N.
Proof. by rewrite subr_gt0 -natrM ltr_nat mul2n ltnS leq_double. Qed.

Lemma selectedE x : selected x = G (minus x).
Proof.
rewrite /selected /G /t sum_coord -/(T _) ltrD2l -subr_gt0 opprK -mulr2n pmulrn_lgt0 //.
by rewrite pmulr_rgt0 // T_gt0.
Qed.

Lemma T_succ q : T q = T q.+1 + 2%:R.
Proof.
have succ : q.+1%:R = q%:R + 1 :> R by rewrite -addn1 natrD.
have shift (a b c : R) : a - b = a - (b + c) + c by rewrite opprD addrA subrK.
by rewrite /T succ mulrDr mulr1; apply: shift.
Qed.

Let e := u ^+ 2 * eta ^+ 2.
Let e' := u' ^+ 2 * eta ^+ 2.
Let D := 4%:R^-1 * (u - u') ^+ 2 * (B0 + eta) ^+ 2.
Let d q := (G q - G q.+1) ^+ 2 / 4%:R.

Let sqr_double (a b : R) : (a * (b * 2%:R)) ^+ 2 / 4%:R = a ^+ 2 * b ^+ 2.
Proof. by rewrite mulrA !exprMn -four mulfK ?pnatr_eq0. Qed.

Lemma d_below q : (q < p)%N -> d q = e.
Proof.
move=> qp; rewrite /d /G (ltnW qp) qp -mulrBr T_succ.
have -> : B0 + eta * (T q.+1 + 2%:R) - (B0 + eta * T q.+1) = eta * 2%:R.
  by rewrite mulrDr addrA addrAC subrr add0r.
exact: sqr_double.
Qed.

Lemma d_above q : (p < q)%N -> d q = e'.
Proof.
move=> pq; rewrite /d /G leqNgt pq leqNgt (ltnW pq : p < q.+1)%N /= -mulrBr T_succ.
have -> : B0 - eta * (T q.+1 + 2%:R) - (B0 - eta * T q.+1) = - (eta * 2%:R).
  by rewrite mulrDr opprD addrA addrAC subrr sub0r.
by rewrite mulrN sqrrN sqr_double.
Qed.

Lemma d_middle : d p = D.
Proof.
have Tp : T p = 1 by rewrite /T /n -addn1 -mul2n natrD natrM addrAC subrr add0r.
have Tp1 : T p.+1 = -1.
  by apply: (addIr 2%:R); rewrite -T_succ Tp -[2%:R]/(1 *+ 2) mulr2n addKr.
by rewrite /d /G leqnn ltnn Tp Tp1 mulr1 mulrN1 opprK -mulrBl exprMn [LHS]mulrC [LHS]mulrA.
Qed.

(* The four kinds of points.                                                  *)
Lemma sensitivity_selected x : let q := minus x in
  sensitivity selected x
  = n%:R * e * (q <= p)%N%:R + n%:R * e' * (p < q)%N%:R
    + p.+1%:R * (D - e) * (q == p)%:R + p.+1%:R * (D - e') * (q == p.+1)%:R.
Proof.
move=> q; have -> : sensitivity selected x = sensitivity (fun y => G (minus y)) x.
  by apply: eq_bigr => i _; rewrite !selectedE.
rewrite sensitivity_layers -/q -/(d q).
have -> : q%:R * ((G q - G q.-1) ^+ 2 / 4%:R) = q%:R * d q.-1.
  by case: q => [|q]; rewrite ?mul0r // /d -sqrrN opprB.
have nq : (q <= n)%N := minus_le x; rewrite natrB //.
case: (ltngtP q p) => [qp | pq | ->].
- rewrite (ltn_eqF (leqW qp)) !mulr0 !addr0 mulr1.
  rewrite !d_below ?(leq_ltn_trans (leq_pred q)) //.
  by rewrite -mulrDl addrC subrK.
- rewrite !mulr0 add0r addr0 mulr1 [d q]d_above //.
  case: (q =P p.+1) => [qE | /eqP neq].
    by rewrite mulr1 qE d_middle mulrBl mulrBr addrCA.
  have far : (p.+1 < q)%N by rewrite ltn_neqAle eq_sym neq.
  rewrite mulr0 addr0 d_above; last by rewrite -ltnS prednK // (leq_ltn_trans _ pq).
  by rewrite -mulrDl addrC subrK.
rewrite ?leqnn ?ltnn (ltn_eqF (ltnSn p)) !mulr0 !addr0 !mulr1 d_middle.
have -> : p%:R * d p.-1 = p%:R * e.
  case: (posnP p) => [p0 | p_gt0]; first by rewrite [in LHS]p0 [in RHS]p0 !mul0r.
  by rewrite d_below // ltn_predL.
have -> : n%:R = p%:R + p.+1%:R :> R by rewrite -natrD addnS addnn.
rewrite [p%:R + _ - _]addrC addKr mulrDl mulrBr -addrA; congr (_ + _).
by rewrite [RHS]addrC subrK.
Qed.

Let S : R := n%:R * 'C(n - 1, n./2)%:R * 2%:R / 2%:R ^+ n.

Lemma half_S : p.+1%:R * ('C(n, p.+1)%:R / 2%:R ^+ n) = S / 2%:R.
Proof.
rewrite /S mulrAC mulfK ?pnatr_eq0 // mulrA -!natrM; congr (_%:R / _).
by rewrite -mul_bin_diag subn1 /= uphalf_double.
Qed.

Lemma mean_low : mean (fun x : cube 'I_n => (minus x <= p)%N%:R : R) = 2%:R^-1
  /\ mean (fun x : cube 'I_n => (p < minus x)%N%:R : R) = 2%:R^-1.
Proof.
set low := mean (fun x : cube 'I_n => (minus x <= p)%N%:R : R); set high := mean _.
have same : low = high.
  rewrite /low -(mean_times _ [ffun=> true]); apply: eq_mean => x; congr (_%:R); congr nat_of_bool.
  have := minus_opposite x; move: (minus x) (minus (times x [ffun=> true])) => a b ab.
  by rewrite -(leq_add2l a) ab /n -addnn -addSn leq_add2r.
have total : low + high = 1.
  rewrite -meanD; transitivity (mean (fun _ : cube 'I_n => 1 : R)); last exact: mean_const.
  by apply: eq_mean => x; case: ltnP; rewrite ?addr0 ?add0r.
suff low2 : low = 2%:R^-1 by rewrite -same low2.
have two : 2%:R != 0 :> R by rewrite pnatr_eq0.
by apply: (mulIf two); rewrite mulVf // mulr_natr mulr2n {2}same.
Qed.

Theorem average_sensitivity_selected :
  average_sensitivity selected = D * S + 2%:R^-1 * (e + e') * (n%:R - S).
Proof.
have [low high] := mean_low.
rewrite /average_sensitivity (eq_mean sensitivity_selected) !meanD !meanZ low high !mean_minus.
have -> : 'C(n, p) = 'C(n, p.+1).
  have np : (n - p)%N = p.+1 by rewrite /n -addnn -addSn addnK.
  by rewrite -np bin_sub // /n -addnn -addSn leq_addl.
rewrite -two_regimes -half_S ![_ * 2%:R^-1]mulrC; congr (_ + _ + _ + _); exact: mulrAC.
Qed.

Lemma S_gt0 : 0 < S.
Proof.
rewrite divr_gt0 ?exprn_gt0 ?ltr0n // -!natrM ltr0n !muln_gt0 bin_gt0 /= subn1 /=.
by rewrite uphalf_double -addnn leq_addr.
Qed.

Lemma average_sensitivity_crossing : D * S / 2%:R <= average_sensitivity selected.
Proof.
have -> : D * S / 2%:R = mean (fun x : cube 'I_n => p.+1%:R * D * (minus x == p.+1)%:R : R).
  by rewrite meanZ mean_minus [p.+1%:R * D]mulrC -[RHS]mulrA half_S mulrA.
apply: mean_le => x; case: eqP => [xp | _]; last first.
  by rewrite mulr0; apply: sumr_ge0 => i _; rewrite divr_ge0 ?sqr_ge0 ?ler0n.
rewrite sensitivity_selected xp ltnn ltnSn (gtn_eqF (ltnSn p)) eqxx !mulr0 !mulr1 add0r addr0.
have -> : n%:R = p%:R + p.+1%:R :> R by rewrite -natrD addnS addnn.
rewrite mulrDl mulrBr -addrA [X in _ + X]addrC subrK lerDr.
by apply: mulr_ge0; [exact: ler0n | apply: mulr_ge0; apply: sqr_ge0].
Qed.

End Selection.

(* As the book states it, and no multiple of max u_j^2 eta^2 n is a bound.    *)
Theorem top_one (R : realFieldType) (n : nat) : odd n ->
  let S : R := n%:R * 'C(n - 1, n./2)%:R * 2%:R / 2%:R ^+ n in
  let t (x : cube 'I_n) : R := \sum_i coord R x i in
  let h u u' B0 eta x :=
    if B0 - eta * t x < B0 + eta * t x then u * (B0 + eta * t x) else u' * (B0 - eta * t x) in
  (forall u u' B0 eta, 0 < eta -> average_sensitivity (h u u' B0 eta)
     = 4%:R^-1 * (u - u') ^+ 2 * (B0 + eta) ^+ 2 * S
       + 2%:R^-1 * (u ^+ 2 + u' ^+ 2) * eta ^+ 2 * (n%:R - S))
  /\ forall u u' B0 c, u != u' -> 0 < B0 -> exists eta, 0 < eta
     /\ c * (Num.max (u ^+ 2) (u' ^+ 2) * (eta ^+ 2 * n%:R)) < average_sensitivity (h u u' B0 eta).
Proof.
move=> odd_n; rewrite -[n]odd_double_half odd_n add1n; move: (n./2) => p {n odd_n} S t h.
split=> [u u' B0 eta eta0 | u u' B0 c uu' B0_gt0].
  by have := average_sensitivity_selected p u u' B0 eta0; rewrite -mulrDl [2%:R^-1 * (_ * _)]mulrA.
have S0 : 0 < S := S_gt0 R p; have d0 : 0 < (u - u') ^+ 2 by rewrite exprn_even_gt0 //= subr_eq0.
pose P := 4%:R^-1 * (u - u') ^+ 2 * B0 ^+ 2 * S / 2%:R.
have P0 : 0 < P.
  by rewrite divr_gt0 ?ltr0n // mulr_gt0 // mulr_gt0 ?exprn_gt0 // mulr_gt0 // invr_gt0 ltr0n.
pose M := Num.max (u ^+ 2) (u' ^+ 2) * (p.*2.+1)%:R.
have M0 : 0 <= M by rewrite mulr_ge0 ?ler0n // le_max sqr_ge0.
pose Y := `|c| * M; have Y0 : 0 <= Y by rewrite mulr_ge0.
have YP0 : 0 < Y + P by rewrite ltr_wpDl.
pose eta := P / (Y + P); have eta0 : 0 < eta by rewrite divr_gt0.
have eta1 : eta <= 1 by rewrite ler_pdivrMr // mul1r lerDr.
exists eta; split=> //; apply: (@lt_le_trans _ _ P).
  apply: (@le_lt_trans _ _ (Y * eta)).
    have -> : Num.max (u ^+ 2) (u' ^+ 2) * (eta ^+ 2 * (p.*2.+1)%:R) = M * eta ^+ 2.
      by rewrite [eta ^+ 2 * _]mulrC mulrA.
    apply: (@le_trans _ _ (`|c| * (M * eta ^+ 2))).
      by rewrite ler_wpM2r ?ler_norm // mulr_ge0 ?sqr_ge0.
    by rewrite mulrA -/Y ler_wpM2l // expr2 ler_piMr // ltW.
  by rewrite /eta mulrA ltr_pdivrMr // mulrC mulrDr ltrDl mulr_gt0.
apply: le_trans (average_sensitivity_crossing p u u' B0 eta0).
rewrite /P ler_pM2r ?invr_gt0 ?ltr0n // ler_pM2r //.
have K0 : 0 <= 4%:R^-1 * (u - u') ^+ 2 by rewrite mulr_ge0 ?invr_ge0 ?ler0n // ltW.
apply: (ler_wpM2l K0); have sum0 : 0 <= B0 + eta by rewrite addr_ge0 // ltW.
by apply: lerXn2r; rewrite ?nnegrE // ?lerDl ltW.
Qed.
