(* The mean squared slope of a network along the edges of the cube,           *)
(*   J(h) = E sum_i 1/2 int_(-1)^1 (d_i h(x_(i->a)))^2 da,                    *)
(* stands between AS(h) and the bound by the gradients at the corners:        *)
(*   AS(h) <= J(h) <= (1+t) E|grad h|^2 + (1+1/t)/4 E sum_i (sum_D |v_ji|)^2, *)
(*   D the neurons active at one end of the edge only, t > 0.                 *)

From mathcomp Require Import all_ssreflect ssralg ssrnum path.
From SparseNetworks Require Import compat definitions cube network average_sensitivity identities gradient.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Edge.

Variables (R : realFieldType) (I J : finType) (N : network R I J) (x : cube I) (i : I).
Implicit Types (a b : R) (j : J) (l m : nat) (t : nat -> R).

Local Notation z j a := (preactivation N j (on_edge x i a)).
Local Notation h a := (value_at N (on_edge x i a)).
Local Notation slope t l := (piece_weight N (active_at N (on_edge x i ((t l + t l.+1) / 2%:R))) i).

Lemma affine j a : z j a = z j 0 + weight N j i * a.
Proof.
apply/eqP; rewrite -subr_eq0 opprD addrA subr_eq0; apply/eqP.
rewrite (@preactivation_change _ _ _ N j _ (on_edge x i 0) i) => [|l /negPf li].
  by rewrite /on_edge eqxx subr0.
by rewrite /on_edge li.
Qed.

Lemma between j a b c : (b - a) * z j c = (b - c) * z j a + (c - a) * z j b.
Proof. by rewrite (affine j a) (affine j b) (affine j c) affine_between. Qed.

(* The ends of the edge are x and x^(+i), in one order or the other.          *)
Lemma ends : (coord R x =1 on_edge x i 1 /\ coord R (flip x i) =1 on_edge x i (-1))
  \/ (coord R x =1 on_edge x i (-1) /\ coord R (flip x i) =1 on_edge x i 1).
Proof.
have [xi|xi] := boolP (x i); [right|left]; split=> l; rewrite /on_edge ?coord_flip; case: eqP => // ->.
- by rewrite /coord xi expr1.
- by rewrite /coord xi expr1 opprK.
- by rewrite /coord (negPf xi) expr0.
by rewrite /coord (negPf xi) expr0.
Qed.

Lemma eq_value_at p q : p =1 q -> value_at N p = value_at N q.
Proof. by move=> pq; apply: eq_bigr => j _; rewrite (eq_preactivation N j pq). Qed.

Lemma eq_active_at p q : p =1 q -> active_at N p = active_at N q.
Proof. by move=> pq; apply/setP=> j; rewrite !inE (eq_preactivation N j pq). Qed.

Lemma middle_mean j a b : z j ((a + b) / 2%:R) = (z j a + z j b) / 2%:R.
Proof.
rewrite (affine j a) (affine j b) (affine j ((a + b) / 2%:R)) [X in _ = X / _]addrACA.
rewrite -[_ * a + _]mulrDr [RHS]mulrDl -[_ * (a + b) / _]mulrA; congr (_ + _).
by rewrite -mulr2n -mulr_natr mulfK ?pnatr_eq0.
Qed.

Lemma both_nonnegative (y w : R) : 0 <= y * w -> 0 < y + w -> 0 <= y.
Proof.
move=> yw; have [//|y0] := leP 0 y; rewrite ltNge -[X in _ <= X]addr0 lerD ?(ltW y0) //.
by rewrite nmulr_rge0 in yw.
Qed.

(* Where no sign changes, ReLU is 0 or the identity.                          *)
Lemma relu_piece j a b : 0 <= z j a * z j b ->
  relu (z j b) - relu (z j a)
  = if 0 < z j ((a + b) / 2%:R) then weight N j i * (b - a) else 0.
Proof.
have -> : weight N j i * (b - a) = z j b - z j a.
  by rewrite [z j b]affine [z j a]affine opprD addrACA subrr add0r mulrBr.
rewrite middle_mean pmulr_lgt0 ?invr_gt0 ?ltr0n //.
move: (z j a) (z j b) => y w yw; have wy : 0 <= w * y by rewrite mulrC.
case: ltP => [sum|sum].
  by rewrite !relu_pos // ?(both_nonnegative yw) // (both_nonnegative wy) // addrC.
have [Ny Nw] : 0 <= - y /\ 0 <= - w.
  have [/eqP e|ne] := boolP (y + w == 0).
    have ye : y = - w by apply/eqP; rewrite -subr_eq0 opprK e.
    have : - w ^+ 2 >= 0 by rewrite expr2 -mulNr -ye.
    by rewrite oppr_ge0 real_exprn_even_le0 ?num_real //= => /eqP w0; rewrite ye w0 !oppr0 lexx.
  have neg : 0 < - y + - w by rewrite -opprD oppr_gt0 lt_neqAle ne.
  by rewrite !(both_nonnegative _ neg) ?mulrNN // (@both_nonnegative _ (- y)) ?mulrNN // addrC.
by rewrite !relu_neg ?subrr -?oppr_ge0.
Qed.

Lemma value_piece l m t : cuts N x i m t -> (l < m)%N ->
  h (t l.+1) - h (t l) = (t l.+1 - t l) * slope t l.
Proof.
case=> _ _ _ signs lm; rewrite /value_at /value_with -sumrB /piece_weight mulr_sumr big_mkcond /=.
rewrite [RHS]big_mkcond /=; apply: eq_bigr => j _; rewrite -mulrBr relu_piece ?signs // inE.
by case: ifP => _; rewrite ?mulr0 // [LHS]mulrA [LHS]mulrC.
Qed.

Lemma sum_pieces (F : nat -> R) m : \sum_(l < m) (F l.+1 - F l) = F m - F 0%N.
Proof. by rewrite -(big_mkord xpredT (fun l => F l.+1 - F l)) telescope_sumr. Qed.

Lemma sum_lengths m t : cuts N x i m t -> \sum_(l < m) (t l.+1 - t l) / 2%:R = 1.
Proof.
by case=> t0 tm _ _; rewrite -mulr_suml sum_pieces t0 tm opprK -mulr2n -mulr_natr mul1r divff ?pnatr_eq0.
Qed.

Lemma length_ge0 m t (l : 'I_m) : cuts N x i m t -> 0 <= (t l.+1 - t l) / 2%:R.
Proof. by case=> _ _ mono _; rewrite divr_ge0 ?ler0n // subr_ge0 mono. Qed.

(* The square of a mean is at most the mean of the square.                    *)
Lemma change_le_slope m t : cuts N x i m t ->
  (value N x - value N (flip x i)) ^+ 2 / 4%:R <= slope_square N x i m t.
Proof.
move=> ct; have -> : (value N x - value N (flip x i)) ^+ 2 = (h 1 - h (-1)) ^+ 2.
  rewrite /value; case: ends => [[xe ye]|[xe ye]]; rewrite (eq_value_at xe) (eq_value_at ye) //.
  by rewrite -sqrrN opprB.
have -> : h 1 - h (-1) = 2%:R * \sum_(l < m) (t l.+1 - t l) / 2%:R * (slope t l * 1).
  case: (ct) => t0 tm _ _; transitivity (h (t m) - h (t 0%N)); first by rewrite tm t0.
  rewrite -(sum_pieces (fun l => h (t l))) mulr_sumr.
  by apply: eq_bigr => l _; rewrite (value_piece ct (ltn_ord l)) mulr1 mulrA; congr (_ * _); rewrite mulrCA halfP mulr1.
rewrite exprMn -four mulrAC mulfV ?pnatr_eq0 // mul1r.
apply: le_trans (Cauchy_Schwarz_weighted _ _ _) _ => [l _|]; first exact: length_ge0 ct.
under [X in _ * X <= _]eq_bigr => l _ do rewrite expr1n mulr1.
by rewrite (sum_lengths ct) mulr1.
Qed.

(* A neuron is active in the middle of a piece if it is at both ends of the   *)
(* edge, and inactive if it is inactive at both.                              *)
Lemma middle_inside m t l : cuts N x i m t -> (l < m)%N ->
  let c := (t l + t l.+1) / 2%:R in 0 <= 1 - c /\ 0 <= c - (-1).
Proof.
case=> t0 tm mono _ lm c.
have up p q : (p <= q)%N -> (q <= m)%N -> t p <= t q.
  elim: q => [|q IH]; rewrite leq_eqVlt => /orP[/eqP->//|pq qm] //.
  exact: le_trans (IH pq (ltnW qm)) (mono _ qm).
have inside k : (k <= m)%N -> -1 <= t k <= 1 by move=> km; rewrite -t0 -tm !up.
have /andP[a1 a2] := inside _ (ltnW lm); have /andP[b1 b2] := inside _ lm.
rewrite !subr_ge0 ler_pdivrMr ?ler_pdivlMr ?ltr0n // mul1r mulN1r.
by rewrite -[2%:R]/(1 + 1) opprD !lerD.
Qed.

Lemma active_ends j : let r := 0 < z j 1 in let r' := 0 < z j (-1) in
  ((j \in active N x)%:R + (j \in active N (flip x i))%:R = r%:R + r'%:R :> R)
  /\ (j \in changed N x i) = (r != r').
Proof.
rewrite /changed [j \in _ :|: _]in_setU !in_setD /active.
case: ends => [[xe ye]|[xe ye]]; rewrite (eq_active_at xe) (eq_active_at ye) !inE.
  by split=> //; case: (0 < z j 1); case: (0 < z j (-1)).
by split; [exact: addrC | case: (0 < z j 1); case: (0 < z j (-1))].
Qed.

Lemma weights_gt0 (a b y w : R) : 0 <= a -> 0 <= b -> 0 < a + b -> 0 < y -> 0 < w ->
  0 < a * y + b * w.
Proof.
rewrite le0r => /orP[/eqP->|a0] b0 s y0 w0; first by rewrite mul0r !add0r in s *; rewrite mulr_gt0.
by rewrite ltr_wpDr ?mulr_gt0 ?mulr_ge0 // ltW.
Qed.

(* The slope of a piece, from the gradients at the two ends of the edge.      *)
Lemma slope_ends m t (l : 'I_m) : cuts N x i m t ->
  `|slope t l - 2%:R^-1 * (gradient N x i + gradient N (flip x i) i)|
  <= 2%:R^-1 * \sum_(j in changed N x i) `|outer N j * weight N j i|.
Proof.
move=> ct; have [] := middle_inside ct (ltn_ord l).
set c := (t l + t l.+1) / 2%:R => c_le c_ge.
have length2 : 1 - c + (c - (-1)) = 2%:R by rewrite opprK addrA subrK.
have sumE (A : {set J}) :
    piece_weight N A i = \sum_j ((j \in A)%:R * (outer N j * weight N j i)).
  rewrite /piece_weight big_mkcond; apply: eq_bigr => j _.
  by case: (j \in A); rewrite ?mul1r ?mul0r.
rewrite /gradient !sumE -big_split mulr_sumr -sumrB /= mulr_sumr [leRHS]big_mkcond.
apply: le_trans (ler_norm_sum _ _ _) _; apply: ler_sum => j _.
move: (outer N j * weight N j i) => v.
rewrite -mulrDl [2%:R^-1 * (_ * v)]mulrA -mulrBl normrM; have [-> ->] := active_ends j.
rewrite [j \in active_at _ _]inE.
have mid : 2%:R * z j c = (1 - c) * z j (-1) + (c - (-1)) * z j 1.
  by rewrite -between opprK.
have half : `|2%:R^-1 : R| = 2%:R^-1 by rewrite ger0_norm ?invr_ge0 ?ler0n.
have sub_half : 1 - 2%:R^-1 = 2%:R^-1 :> R by rewrite -{1}halves addrK.
case: (ltP 0 (z j 1)) => r; case: (ltP 0 (z j (-1))) => r' /=; rewrite ?addr0 ?add0r ?mulr1 ?mulr0.
- have -> : 0 < z j c.
    by rewrite -(pmulr_rgt0 _ (ltr0Sn R 1)) mid weights_gt0 // length2 ltr0n.
  by rewrite -mulr2n mulr_natr mulr2n halves subrr normr0 mul0r.
- by case: (0 < z j c); rewrite ?sub0r ?normrN ?sub_half half.
- by case: (0 < z j c); rewrite ?sub0r ?normrN ?sub_half half.
have -> : 0 < z j c = false.
  by rewrite -(pmulr_rgt0 _ (ltr0Sn R 1)) mid; apply/le_gtF; rewrite -[leRHS]addr0 lerD // mulr_ge0_le0.
by rewrite subr0 normr0 mul0r.
Qed.

End Edge.

Section Chain.

Variables (R : realFieldType) (I J : finType) (N : network R I J).
Variables (m : cube I -> I -> nat) (t : cube I -> I -> nat -> R).
Hypothesis cut : forall x i, cuts N x i (m x i) (t x i).

Local Notation slopes := (mean (fun x => \sum_i slope_square N x i (m x i) (t x i))).
Local Notation switched x i := (\sum_(j in changed N x i) `|outer N j * weight N j i|).

Theorem average_sensitivity_slopes : average_sensitivity (value N) <= slopes.
Proof. by apply: mean_le => x; apply: ler_sum => i _; apply: change_le_slope. Qed.

Theorem slopes_gradient (e : R) : 0 < e ->
  slopes <= (1 + e) * mean (fun x => sqnorm (gradient N x))
            + (1 + e^-1) / 4%:R * mean (fun x => \sum_i switched x i ^+ 2).
Proof.
move=> e0; pose g i x := 2%:R^-1 * (1 + e) * gradient N x i ^+ 2.
pose b i x := 2%:R^-1 * ((1 + e^-1) / 4%:R) * switched x i ^+ 2.
have e1 : 0 <= 1 + e by rewrite addr_ge0 ?ler01 ?ltW.
have e1V : 0 <= 1 + e^-1 by rewrite addr_ge0 ?ler01 ?invr_ge0 ?ltW.
apply: (@le_trans _ _ (2%:R * mean (fun x => \sum_i (g i x + b i x)))).
  apply: mean_flips_le => x i; rewrite /slope_square.
  set bound := (X in _ <= X).
  have -> : bound = \sum_(l < m x i) (t x i l.+1 - t x i l) / 2%:R * bound.
    by rewrite -mulr_suml (sum_lengths (cut x i)) mul1r.
  apply: ler_sum => l _; rewrite ler_wpM2l ?(length_ge0 l (cut x i)) // {}/bound.
  set slope := piece_weight _ _ _; set mid := 2%:R^-1 * (gradient N x i + gradient N (flip x i) i).
  have near : `|slope - mid| <= 2%:R^-1 * switched x i by apply: slope_ends.
  rewrite -[slope](subrK mid) addrC; apply: le_trans (sqr_add_weighted _ _ e0) _.
  rewrite [leRHS]addrACA; apply: lerD.
    rewrite /g -mulrDr -[2%:R^-1 * _ * _]mulrA [2%:R^-1 * (_ * _)]mulrCA ler_wpM2l //.
    rewrite exprMn expr2 -mulrA ler_wpM2l ?invr_ge0 ?ler0n //.
    by rewrite [leLHS]mulrC ler_pdivrMr ?ltr0n // [leRHS]mulrC sqr_add_le.
  rewrite /b changed_flip -mulrDl -mulrDl halves mul1r.
  by rewrite -mulrA ler_wpM2l // four -exprVn -exprMn; apply: ler_norm_sqr.
rewrite -meanZ -!meanZ -meanD le_eqVlt; apply/orP; left; apply/eqP/eq_mean => x.
rewrite big_split -!mulr_sumr /= mulrDr; congr (_ + _).
  by rewrite !mulrA halfP mul1r.
by rewrite !mulrA halfP mul1r.
Qed.

End Chain.

(* ---- The cuts exist ------------------------------------------------------- *)

Section Cuts.

Variables (R : realFieldType) (I J : finType) (N : network R I J) (x : cube I) (i : I).

Local Notation z j a := (preactivation N j (on_edge x i a)).

(* The zeros of the pre-activations between -1 and 1.                         *)
Let zeros : seq R := [seq a <- [seq - z j 0 / weight N j i | j : J] | -1 < a < 1].
Let knots : seq R := -1 :: rcons (sort <=%R zeros) 1.

Let knots_sorted : sorted <=%R knots.
Proof.
rewrite /knots /= rcons_path path_sortedE; last exact: le_trans.
have inside a : a \in sort <=%R zeros -> -1 < a < 1 by rewrite mem_sort mem_filter => /andP[].
apply/andP; split.
  apply/andP; split; first by apply/allP => a /inside/andP[/ltW].
  by apply: sort_sorted; apply: le_total.
have := mem_last (-1) (sort <=%R zeros); rewrite inE => /orP[/eqP->|/inside/andP[_ /ltW //]].
by rewrite -subr_ge0 opprK addr_ge0 ?ler01.
Qed.

Theorem cuts_exist : exists m t, cuts N x i m t.
Proof.
have ordered := sorted_leq_nth le_trans lexx 1 knots_sorted.
have last1 : nth 1 knots (size knots).-1 = 1 by rewrite nth_last /knots /= last_rcons.
exists (size knots).-1, (nth 1 knots); split=> // [l lm | l j lm].
  by apply: ordered => //; rewrite inE ltnS ?(ltnW lm).
have [w0|w_neq0] := eqVneq (weight N j i) 0.
  by rewrite (affine _ _ _ _ (nth _ _ l)) (affine _ _ _ _ (nth _ _ l.+1)) w0 !mul0r -expr2 sqr_ge0.
pose c := - z j 0 / weight N j i.
have z_c a : z j a = weight N j i * (a - c).
  by rewrite affine mulrBr [_ * c]mulrC divfK // opprK addrC.
rewrite !z_c mulrACA mulr_ge0 -?expr2 ?sqr_ge0 //.
have l1 : (l.+1 < size knots)%N by [].
have step : nth 1 knots l <= nth 1 knots l.+1 by apply: ordered => //; rewrite inE // ltnW.
have [c_low|low] := leP c (nth 1 knots l).
  by rewrite mulr_ge0 ?subr_ge0 // (le_trans c_low).
have [up_c|up] := leP (nth 1 knots l.+1) c.
  by rewrite mulr_le0 ?subr_le0 // ltW.
have inside : -1 < c < 1.
  apply/andP; split; first by apply: le_lt_trans low; apply: (ordered 0%N); rewrite // inE ltnW.
  by apply: lt_le_trans up _; rewrite -[X in _ <= X]last1; apply: ordered; rewrite ?inE.
have /(nthP 1)[p p_size pc] : c \in knots.
  rewrite inE mem_rcons inE mem_sort mem_filter inside; apply/orP; right; apply/orP; right.
  by apply/mapP; exists j; rewrite ?mem_enum.
have [pl|lp] := leqP p l.
  have : nth 1 knots p <= nth 1 knots l by apply: ordered; rewrite // inE // ltnW.
  by rewrite pc leNgt low.
have : nth 1 knots l.+1 <= nth 1 knots p by apply: ordered; rewrite // inE.
by rewrite pc leNgt up.
Qed.

End Cuts.

(* ---- With square roots ---------------------------------------------------- *)

Theorem slopes_sqrt (R : rcfType) (n s : nat) (N : network R 'I_n 'I_s)
    (m : cube 'I_n -> 'I_n -> nat) (t : cube 'I_n -> 'I_n -> nat -> R) :
    (forall x i, cuts N x i (m x i) (t x i)) ->
  mean (fun x => \sum_i slope_square N x i (m x i) (t x i))
  <= (Num.sqrt (mean (fun x => sqnorm (gradient N x)))
      + Num.sqrt (mean (fun x => \sum_i
          (\sum_(j in changed N x i) `|outer N j * weight N j i|) ^+ 2) / 4%:R)) ^+ 2.
Proof.
move=> cut; have mean_ge0 (f : cube 'I_n -> R) : (forall x, 0 <= f x) -> 0 <= mean f.
  by move=> f0; rewrite divr_ge0 ?ler0n ?sumr_ge0.
apply: weighted_sqrt => [||e e0].
- by apply: mean_ge0 => x; apply: sumr_ge0 => i _; apply: sqr_ge0.
- by rewrite divr_ge0 ?ler0n ?mean_ge0 // => x; apply: sumr_ge0 => i _; apply: sqr_ge0.
rewrite [X in _ <= _ + X]mulrA [X in _ <= _ + X]mulrAC.
exact: slopes_gradient.
Qed.
