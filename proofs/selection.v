(* Confidence 1 - 2^-r from r batches: the learner picks a batch whose        *)
(* coefficients are close to those of more than half of all batches.          *)

From mathcomp Require Import all_ssreflect ssralg ssrnum.
From SparseNetworks Require Import compat definitions cube fourier network average_sensitivity.
From SparseNetworks Require Import sparse_networks product_laws identities learning guarantees.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(* ---- Half of r independent trials fail ----------------------------------- *)

Section Majority.

Variables (R : realFieldType) (Omega : finType) (p : Omega -> R) (r : nat).
Hypotheses (p_ge0 : forall o, 0 <= p o) (sum_p : \sum_o p o = 1).
Variable bad : pred Omega.
Hypothesis rarely_bad : \sum_o p o * (bad o)%:R <= 16%:R^-1.

Lemma sample_mean_prod (f : Omega -> R) :
  @sample_mean R Omega p r (fun S => \prod_b f (S b)) = (\sum_o p o * f o) ^+ r.
Proof.
rewrite /sample_mean /expectation.
transitivity (\sum_(S : {ffun 'I_r -> Omega}) \prod_b (p (S b) * f (S b))).
  by apply: eq_bigr => S _; rewrite big_split.
by rewrite -(bigA_distr_bigA (fun (_ : 'I_r) o => p o * f o)) prodr_const card_ord.
Qed.

Theorem majority_bad :
  @sample_probability R Omega p r (fun S => (r <= 2 * #|[set b | bad (S b)]|)%N) <= 2%:R^-1 ^+ r.
Proof.
pose f o : R := if bad o then 16%:R else 1.
apply: (@le_trans _ _ (4%:R^-1 ^+ r * @sample_mean R Omega p r (fun S => \prod_b f (S b)))).
  rewrite -sample_meanZ; apply: sample_mean_le => // S.
  have -> : \prod_b f (S b) = 16%:R ^+ #|[set b | bad (S b)]|.
    rewrite -prodr_const [RHS]big_mkcond; apply: eq_bigr => b _.
    by rewrite /f inE.
  rewrite exprVn mulrC ler_pdivlMr ?exprn_gt0 ?ltr0n //.
  case: leqP => half; last by rewrite mul0r exprn_ge0 ?ler0n.
  have -> : 16%:R = 4%:R ^+ 2 :> R by rewrite -natrX.
  by rewrite mul1r -exprM ler_weXn2l // ler1n.
rewrite sample_mean_prod -exprMn lerXn2r ?nnegrE //.
- rewrite mulr_ge0 ?invr_ge0 ?ler0n // sumr_ge0 // => o _; rewrite mulr_ge0 // /f.
  by case: ifP; rewrite ?ler0n ?ler01.
- by rewrite invr_ge0 ler0n.
rewrite [leLHS]mulrC ler_pdivrMr ?ltr0n //.
have -> : 2%:R^-1 * 4%:R = 2%:R :> R by rewrite four expr2 mulKf ?pnatr_eq0.
have -> : \sum_o p o * f o = 1 + 15%:R * \sum_o p o * (bad o)%:R.
  rewrite -[X in X + _]sum_p mulr_sumr -big_split; apply: eq_bigr => o _ /=.
  rewrite mulrCA -[X in X + _]mulr1 -mulrDr /f; congr (_ * _).
  by case: (bad o); rewrite ?mulr1 ?mulr0 ?addr0 // -[1]/(1%:R) -natrD.
rewrite -[leRHS]/(1 + 1 : R) lerD2l; apply: le_trans (ler_wpM2l (ler0n _ 15) rarely_bad) _.
by rewrite ler_pdivrMr ?ltr0n // mul1r ler_nat.
Qed.

End Majority.

(* ---- The selection ------------------------------------------------------- *)

Section Selection.

Variables (R : realFieldType) (I : finType) (d r : nat).
Implicit Types (c : 'I_r -> {set I} -> R) (e f g : {set I} -> R).

Lemma distanceC e f : distance d e f = distance d f e.
Proof. by apply: eq_bigr => T _; rewrite -sqrrN opprB. Qed.

Lemma distance_triangle (t : R) e f g : 0 < t ->
  distance d e g <= (1 + t) * distance d e f + (1 + t^-1) * distance d f g.
Proof.
move=> t0; rewrite !mulr_sumr -big_split; apply: ler_sum => T _ /=.
have -> : e T - g T = (e T - f T) + (f T - g T) by rewrite addrA subrK.
exact: sqr_add_weighted.
Qed.

Lemma select_close (eps : R) c g :
    (2 * #|[set b | (eps < distance d (c b) g)%R]| < r)%N ->
  distance d (select d eps c) g <= 9%:R * eps.
Proof.
set bad := [set b | _] => few.
have half : (r < 2 * #|~: bad|)%N.
  have : (2 * #|bad| + 2 * #|~: bad| = 2 * r)%N by rewrite -mulnDr cardsC card_ord.
  move: few; move: (2 * #|bad|)%N (2 * #|~: bad|)%N => x y xr xy.
  by rewrite -(ltn_add2l x) xy mul2n -addnn ltn_add2r.
have goodP b : b \in ~: bad -> distance d (c b) g <= eps by rewrite !inE -leNgt.
have one_good : exists a, a \in ~: bad.
  by apply/set0Pn; rewrite -card_gt0; move: half; case: #|_| => //; rewrite muln0.
rewrite /select; case: pickP => [a | none].
  rewrite /central; set near := [set b | _] => half_a.
  have [b] : exists b, b \in near :&: ~: bad.
    apply/set0Pn; rewrite -card_gt0 -(ltn_add2l #|near :|: ~: bad|) addn0 cardsUI.
    rewrite -(ltn_pmul2l (ltn0Sn 1)) mulnDr.
    apply: leq_ltn_trans (_ : 2 * #|near :|: ~: bad| <= r + r)%N _.
      by rewrite addnn -mul2n leq_pmul2l // -[r in leqRHS]card_ord max_card.
    by rewrite -addSn leq_add // ltnW.
  rewrite in_setI => /andP[]; rewrite [b \in near]inE => ab /goodP bg.
  have h0 : 0 < 2%:R^-1 :> R by rewrite invr_gt0 ltr0n.
  apply: le_trans (distance_triangle _ (c b) _ h0) _; rewrite invrK.
  have -> : 9%:R * eps = (1 + 2%:R^-1) * (4%:R * eps) + (1 + 2%:R) * eps.
    rewrite mulrA -mulrDl; congr (_ * _); rewrite mulrDl mul1r four expr2 mulKf ?pnatr_eq0 //.
    by rewrite -[1]/(1%:R) -natrM -!natrD.
  by apply: lerD; apply: ler_wpM2l => //; rewrite addr_ge0 ?ler01 ?ler0n // ltW.
case: one_good => a a_good; have := none a; rewrite /central.
suff -> : (r < 2 * #|[set b | (distance d (c a) (c b) <= 4%:R * eps)%R]|)%N = true by [].
apply: leq_trans half _; rewrite leq_pmul2l //; apply/subset_leq_card/subsetP => b b_good.
rewrite inE; apply: le_trans (distance_triangle _ g _ ltr01) _.
rewrite invr1 [distance d g _]distanceC -mulrDr.
apply: le_trans (ler_wpM2l _ (lerD (goodP a a_good) (goodP b b_good))) _.
  by rewrite addr_ge0 ?ler01.
by rewrite four_times.
Qed.

End Selection.

(* ---- Batches of examples ------------------------------------------------- *)

Section Selected.

Variables (R : realFieldType) (I Omega : finType) (p : Omega -> R).
Variables (X : Omega -> cube I) (Y : Omega -> R) (m d r : nat).
Hypotheses (uniform : uniform_marginal p X) (m_gt0 : (0 < m)%N).
Implicit Types (S : {ffun 'I_r -> {ffun 'I_m -> Omega}}).

Local Notation L := (risk p X Y).
Local Notation D := ((low_sets I d)%:R : R).
Local Notation second_moment := (example_mean p (fun o => Y o ^+ 2)).

(* The law of a batch.                                                        *)
Definition batch_law : {ffun 'I_m -> Omega} -> R := product_law (fun _ : 'I_m => p).

Let p_ge0 : forall o, 0 <= p o := uniform.1.
Let sum_p := sum_example uniform.

Lemma batch_law_ge0 s : 0 <= batch_law s.
Proof. by apply: product_law_ge0 => i; split. Qed.

Lemma sum_batch_law : \sum_s batch_law s = 1.
Proof.
rewrite -(sample_mean_const m p_ge0 sum_p 1).
by apply: eq_bigr => s _; rewrite mulr1.
Qed.

Theorem selected_probability (eps : R) : 0 < eps -> 16%:R * (D * second_moment) <= eps * m%:R ->
  @sample_probability R _ batch_law r (fun S => best p X Y d + 9%:R * eps
    < L (learn_selected d eps (fun b i => X (S b i)) (fun b i => Y (S b i)))) <= 2%:R^-1 ^+ r.
Proof.
move=> eps0 size; pose bad s := best p X Y d + eps < L (@learned R I Omega X Y m d s).
have rare : \sum_s batch_law s * (bad s)%:R <= 16%:R^-1.
  apply: (agnostic_probability uniform m_gt0 eps0).
  by rewrite mulrAC ler_pdivlMr ?ltr0n // [leLHS]mulrC.
apply: le_trans _ (majority_bad r batch_law_ge0 sum_batch_law rare).
apply: sample_probability_le => [||S]; [exact: batch_law_ge0 | exact: sum_batch_law |].
rewrite loss_best // ltrD2l; apply: contraTT; rewrite -ltnNge -leNgt => few.
apply: select_close; rewrite (eq_card (B := [set b | bad (S b)])) // => b.
by rewrite !inE /bad loss_learned // ltrD2l.
Qed.

(* Bounded labels: one sample competes with all functions at once, each up to *)
(* its average sensitivity.                                                   *)
Theorem selected_agnostic (M eps : R) :
    (forall o, `|Y o| <= M) -> 0 < eps -> 16%:R * (D * M ^+ 2) <= eps * m%:R ->
  exists bad : pred {ffun 'I_r -> {ffun 'I_m -> Omega}},
    \sum_(S | bad S) \prod_b \prod_i p (S b i) <= 2%:R^-1 ^+ r /\
    forall S, ~~ bad S -> forall (h : cube I -> R) (t : R), 0 < t ->
      L (learn_selected d eps (fun b i => X (S b i)) (fun b i => Y (S b i)))
      <= (1 + t) * L h + (1 + t^-1) * tail h d + 9%:R * eps.
Proof.
move=> YM eps0 size.
have sizeE : 16%:R * (D * second_moment) <= eps * m%:R.
  apply: le_trans size; rewrite !ler_wpM2l ?ler0n //.
  rewrite -(example_mean_const uniform (M ^+ 2)); apply: (example_mean_le uniform) => o.
  exact: ler_norm_sqr.
exists (fun S : {ffun 'I_r -> {ffun 'I_m -> Omega}} => best p X Y d + 9%:R * eps
    < L (learn_selected d eps (fun b i => X (S b i)) (fun b i => Y (S b i)))).
split=> [|S].
  apply: le_trans (selected_probability eps0 sizeE).
  rewrite big_mkcond /sample_probability /sample_mean /expectation.
  by apply: ler_sum => S _; case: ifP; rewrite ?mulr1 ?mulr0.
rewrite -leNgt => good h t t0; apply: le_trans good _; rewrite lerD2r.
exact: best_le_function.
Qed.

End Selected.

(* ---- Exact labels -------------------------------------------------------- *)

Section Exact.

Variables (R : realFieldType) (n m d r : nat).
Hypothesis m_gt0 : (0 < m)%N.

Local Notation D := ((\sum_(l < d.+1) 'C(n, l))%:R : R).
Local Notation batches := {ffun 'I_r -> {ffun 'I_m -> cube 'I_n}}.

(* |h - g|^2 for the polynomial g that is selected from r batches.            *)
Definition selected_error (h : cube 'I_n -> R) (eps : R) (S : batches) : R :=
  mean (fun x => (h x - learn_selected d eps (fun b i => S b i) (fun b i => h (S b i)) x) ^+ 2).

(* For a uniform distribution a mean over samples is a mean over a finite set. *)
Lemma sample_mean_uniform (Omega : finType) (p : Omega -> R) (F : {ffun 'I_r -> Omega} -> R) :
  p =1 (fun=> #|Omega|%:R^-1) -> sample_mean p F = (\sum_S F S) / #|{: {ffun 'I_r -> Omega}}|%:R.
Proof.
move=> pE; rewrite /sample_mean /expectation mulr_suml; apply: eq_bigr => S _.
rewrite mulrC; congr (_ * _); rewrite [in RHS]card_ffun card_ord natrX -exprVn.
rewrite /product_law -[in RHS](card_ord r) -prodr_const.
by apply: eq_bigr => i _; rewrite pE.
Qed.

Theorem selected_learning (h : cube 'I_n -> R) (eps : R) : 0 < eps -> tail h d <= eps ->
    16%:R * (D * mean (fun x => h x ^+ 2)) <= eps * m%:R ->
  #|[set S : batches | 10%:R * eps < selected_error h eps S]|%:R
  <= 2%:R^-1 ^+ r * #|{: batches}|%:R :> R.
Proof.
move=> eps0 small size.
have batches0 : 0 < #|{: batches}|%:R :> R.
  by rewrite ltr0n [X in (0 < X)%N]card_ffun card_samples card_cube !expn_gt0.
rewrite -(ler_pdivrMr _ _ batches0).
pose u (_ : cube 'I_n) : R := #|{: cube 'I_n}|%:R^-1.
have uU : uniform_marginal u id := @uniform_cube R _.
have lawE : @batch_law R _ u m =1 (fun=> #|{: {ffun 'I_m -> cube 'I_n}}|%:R^-1).
  move=> S; rewrite /batch_law /product_law prodr_const card_ord.
  by rewrite card_samples natrX exprVn.
have sizeE : 16%:R * ((low_sets 'I_n d)%:R * example_mean u (fun x => h x ^+ 2)) <= eps * m%:R.
  by rewrite low_setsE card_ord (example_mean_cube (fun x => h x ^+ 2)).
apply: le_trans _ (selected_probability r uU m_gt0 eps0 sizeE).
rewrite /sample_probability (sample_mean_uniform _ lawE).
rewrite ler_pM2r ?invr_gt0 // -sum1_card natr_sum big_mkcond; apply: ler_sum => S _.
rewrite inE best_cube loss_cube -/(selected_error _ _ _).
case: ltP => [err|_]; last exact: ler0n.
suff -> : tail h d + 9%:R * eps < selected_error h eps S by [].
have ten : 10%:R = 1 + 9%:R :> R by rewrite -(natrD R 1 9).
by apply: le_lt_trans err; rewrite ten [leRHS]mulrDl mul1r lerD2r.
Qed.

Theorem selected_sparse (s k : nat) (W B eps : R) (N : network R 'I_n 'I_s) :
    in_class k W B N -> 0 < eps ->
    4%:R * k%:R ^+ 2 * W ^+ 2 <= eps * d.+1%:R ->
    32%:R * k%:R ^+ 2 * (n%:R * W ^+ 2 + B ^+ 2) * D <= eps * m%:R ->
  #|[set S : batches | 10%:R * eps < selected_error (value N) eps S]|%:R
  <= 2%:R^-1 ^+ r * #|{: batches}|%:R :> R.
Proof.
move=> classN eps0 degree size; apply: selected_learning => //.
  case: classN => sparseN scaleN; apply: le_trans (sparse_tail scaleN sparseN d) _.
  by rewrite ler_pdivrMr ?ltr0Sn.
apply: le_trans size; rewrite mulrCA mulrC ler_wpM2r ?ler0n //.
apply: le_trans (ler_wpM2l (ler0n _ 16) (mean_value_sqr_le classN)) _.
have -> : 32%:R = 16%:R * 2%:R :> R by rewrite -natrM.
by rewrite !mulrA.
Qed.

End Exact.

(* The least natural number that is at least z is at most z + 1.              *)
Lemma ceiling (R : realFieldType) (z : R) : (forall y : R, exists b : nat, y <= b%:R) ->
  0 <= z -> exists b : nat, z <= b%:R /\ b.-1%:R <= z.
Proof.
move=> archimedean z0; case: (ex_minnP (archimedean z)) => b zb least; exists b; split=> //.
case: b zb least => [|b] // _ least; rewrite leNgt; apply/negP => /ltW/least.
by rewrite ltnn.
Qed.

(* D <= (n+1)^d.                                                              *)
Lemma binomials_le n d : (\sum_(l < d.+1) 'C(n, l) <= n.+1 ^ d)%N.
Proof.
elim: d => [|d IH]; first by rewrite big_ord_recl big_ord0 bin0.
rewrite big_ord_recr /= expnS mulSn leq_add //.
apply: leq_trans (leq_pmull _ (ltn0Sn d)) _; rewrite mul_bin_left leq_mul ?leq_subr //.
by apply: leq_trans IH; rewrite big_ord_recr leq_addl.
Qed.

(* The degree d and the size m of a batch for every eps; they depend neither  *)
(* on s nor on r, so failure with probability 2^-r takes r m samples.         *)
Theorem learnable (R : realFieldType) (n k : nat) (W B eps : R) :
    (forall z : R, exists b : nat, z <= b%:R) -> 0 < eps ->
  exists d m : nat,
  [/\ d%:R <= 40%:R * k%:R ^+ 2 * W ^+ 2 / eps,
      m%:R <= 320%:R * k%:R ^+ 2 * (n%:R * W ^+ 2 + B ^+ 2) * n.+1%:R ^+ d / eps + 1
    & forall (s r : nat) (N : network R 'I_n 'I_s), in_class k W B N ->
    #|[set S : {ffun 'I_r -> {ffun 'I_m -> cube 'I_n}} | eps
        < selected_error d (value N) (eps / 10%:R) S]|%:R
    <= 2%:R^-1 ^+ r * #|{: {ffun 'I_r -> {ffun 'I_m -> cube 'I_n}}}|%:R :> R].
Proof.
move=> archimedean eps0; pose e := eps / 10%:R.
have e0 : 0 < e by rewrite divr_gt0 ?ltr0n.
have over (c z : R) : c * 10%:R * z / eps = c * z / e.
  by rewrite /e invfM invrK [RHS]mulrA [RHS]mulrAC; congr (_ / _); apply: mulrAC.
have times10 (c : nat) : (c * 10)%:R = c%:R * 10%:R :> R by rewrite natrM.
pose scale : R := k%:R ^+ 2 * (n%:R * W ^+ 2 + B ^+ 2).
have scale0 : 0 <= scale.
  apply: mulr_ge0; first exact: sqr_ge0.
  by apply: addr_ge0; [apply: mulr_ge0; [apply: ler0n | apply: sqr_ge0] | apply: sqr_ge0].
have [|b [bP b_le]] := @ceiling R (4%:R * (k%:R ^+ 2 * W ^+ 2) / e) archimedean.
  apply: divr_ge0; last exact: ltW.
  by apply: mulr_ge0; [apply: ler0n | apply: mulr_ge0; apply: sqr_ge0].
pose d := b.-1; pose D : R := (\sum_(l < d.+1) 'C(n, l))%:R.
have [|c [cP c_le]] := @ceiling R (32%:R * (scale * D) / e) archimedean.
  apply: divr_ge0; last exact: ltW.
  by apply: mulr_ge0; [apply: ler0n | apply: mulr_ge0; [exact: scale0 | apply: ler0n]].
pose m := c.-1.+1; exists d, m; split.
- by rewrite -[40%N]/(4 * 10)%N times10 -[_ * _ * W ^+ 2]mulrA over.
- rewrite -[320%N]/(32 * 10)%N times10 -[_ * _ * (_ + _)]mulrA -/scale -[_ * scale * _]mulrA over.
  rewrite /m mulrSr lerD2r; apply: le_trans c_le _; rewrite ler_pM2r ?invr_gt0 //.
  by rewrite ler_wpM2l ?ler0n // ler_wpM2l // -natrX ler_nat binomials_le.
move=> s r N classN; have := @selected_sparse R n m d r isT s k W B e N classN e0.
have -> : 10%:R * e = eps by rewrite mulrC divfK ?pnatr_eq0.
have mono (a : nat) (z : R) : z / e <= a%:R -> z <= e * a.-1.+1%:R.
  move=> za; rewrite mulrC -ler_pdivrMr //; apply: le_trans za _.
  by rewrite ler_nat leqSpred.
apply; first by rewrite -[_ * _ * W ^+ 2]mulrA; apply: mono.
by rewrite -[_ * _ * (_ + _)]mulrA -/scale -[_ * scale * _]mulrA; apply: mono.
Qed.
