(* The average sensitivity of a half-space is at most sqrt(n p (1 - p))/2,    *)
(* p its share of the cube, so at most sqrt(n)/4: Parseval, Cauchy-Schwarz.   *)

From mathcomp Require Import all_ssreflect ssralg ssrnum.
From SparseNetworks Require Import compat definitions cube fourier.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Unate.

Variables (R : realFieldType) (I : finType) (g : cube I -> bool) (down : I -> bool).
Implicit Types (x : cube I) (i : I).

(* g does not fall when x_i rises, or, where down i, when x_i falls.          *)
Hypothesis unate : forall x i, x i (+) down i -> g x -> g (flip x i).

Let f x : R := (g x)%:R.
Let p : R := probability R g.

Lemma sqr_change x i :
  (f x - f (flip x i)) ^+ 2 = (-1) ^+ down i * ((f x - f (flip x i)) * coord R x i).
Proof.
have := unate (x := x) (i := i); have := unate (x := flip x i) (i := i).
rewrite flipK /f /coord [flip x i i]ffunE eqxx addbT.
case: (x i); case: (down i); case: (g x); case: (g _) => //= up fall;
  rewrite ?subrr ?mul0r ?mulr0 ?expr0n ?subr0 ?sub0r ?expr0 ?expr1 ?mulr1 ?mul1r ?mulN1r ?opprK ?sqrrN ?expr1n //.
all: by [have := up isT isT | have := fall isT isT].
Qed.

Lemma average_sensitivity_unate :
  average_sensitivity f = 2%:R^-1 * \sum_i (-1) ^+ down i * fourier f [set i].
Proof.
rewrite /average_sensitivity /sensitivity mean_sum mulr_sumr; apply: eq_bigr => i _.
have -> : mean (fun x => (f x - f (flip x i)) ^+ 2 / 4%:R)
    = 4%:R^-1 * ((-1) ^+ down i * mean (fun x => (f x - f (flip x i)) * coord R x i)).
  rewrite -!meanZ; by apply: eq_mean => x; rewrite mulrC sqr_change.
have -> : mean (fun x => (f x - f (flip x i)) * coord R x i) = 2%:R * fourier f [set i].
  have -> : fourier f [set i] = mean (fun x => f x * coord R x i).
    by apply: eq_mean => x; rewrite /character big_set1.
  rewrite mulr_natl mulr2n -[X in _ = _ + X](mean_flip _ i) -meanD; apply: eq_mean => x.
  by rewrite mulrBl coord_flip eqxx mulrN.
by rewrite four expr2 invfM -mulrA; congr (_ * _); rewrite mulrCA mulKf ?pnatr_eq0.
Qed.

Lemma sum_linear_weights : \sum_i fourier f [set i] ^+ 2 <= p * (1 - p).
Proof.
have total : \sum_T fourier f T ^+ 2 = p.
  rewrite -Parseval; apply: eq_mean => x.
  by rewrite /f; case: (g x); rewrite ?expr1n ?expr0n.
have empty : fourier f set0 = p.
  by apply: eq_mean => x; rewrite /character big_set0 mulr1.
rewrite mulrBr mulr1 -expr2 -{1}total -empty (bigD1 set0) //= addrAC subrr add0r.
rewrite -(big_imset (fun T : {set I} => fourier f T ^+ 2)) /=; last by move=> i l _ _ /set1_inj.
rewrite [leLHS]big_mkcond [leRHS]big_mkcond; apply: ler_sum => T _.
case: imsetP => [[i _ ->] | _]; last by case: ifP; rewrite ?sqr_ge0.
by rewrite (_ : [set i] != set0) // -card_gt0 cards1.
Qed.

Lemma sqr_average_sensitivity : (2%:R * average_sensitivity f) ^+ 2 <= #|I|%:R * (p * (1 - p)).
Proof.
rewrite average_sensitivity_unate mulVKf ?pnatr_eq0 //.
apply: le_trans (Cauchy_Schwarz xpredT _ _) _.
apply: ler_pM; last exact: sum_linear_weights.
- by apply: sumr_ge0 => i _; apply: sqr_ge0.
- by apply: sumr_ge0 => i _; apply: sqr_ge0.
by rewrite -sum1_card natr_sum; apply: ler_sum => i _; rewrite sqrr_sign.
Qed.

End Unate.

Lemma share_le (R : realFieldType) (p : R) : p * (1 - p) <= 4%:R^-1.
Proof.
rewrite mulrBr mulr1 -subr_ge0.
have -> : 4%:R^-1 - (p - p * p) = (p - 2%:R^-1) ^+ 2; last exact: sqr_ge0.
rewrite sqrrB -[p * _ *+ 2]mulr_natr -mulrA mulVf ?pnatr_eq0 // mulr1 exprVn -four.
by rewrite expr2 opprB addrC.
Qed.

Section Halfspace.

Variables (R : rcfType) (n : nat) (w : 'I_n -> R) (b : R).
Local Notation form x := (\sum_i w i * coord R x i).

Lemma form_flip (x : cube 'I_n) i : x i (+) (w i < 0) -> form x <= form (flip x i).
Proof.
move=> up; apply: ler_sum => l _; rewrite coord_flip; case: eqP => // ->.
move: up; rewrite /coord; case: (x i); case: ltP => // w0 _.
  by rewrite expr1 opprK mulrN mulr1 (le_trans _ w0) // oppr_le0.
by rewrite expr0 mulrN mulr1 (le_trans (ltW w0)) // oppr_ge0 ltW.
Qed.

Lemma sqrt_bound (A q : R) : (2%:R * A) ^+ 2 <= n%:R * q -> A <= Num.sqrt (n%:R * q) / 2%:R.
Proof.
move=> A_le; rewrite ler_pdivlMr ?ltr0Sn // mulrC (le_trans (ler_norm _)) //.
by rewrite -sqrtr_sqr ler_wsqrtr.
Qed.

Theorem halfspace : let g (x : cube 'I_n) : R := (b < form x)%R%:R in
  average_sensitivity g <= Num.sqrt (n%:R * (mean g * (1 - mean g))) / 2%:R
  /\ Num.sqrt (n%:R * (mean g * (1 - mean g))) / 2%:R <= Num.sqrt n%:R / 4%:R.
Proof.
move=> g; have unate (x : cube 'I_n) i : x i (+) (w i < 0) -> b < form x -> b < form (flip x i).
  by move=> up /lt_le_trans; apply; apply: form_flip.
split; first by apply: sqrt_bound; have := sqr_average_sensitivity R unate; rewrite card_ord.
have -> : Num.sqrt n%:R / 4%:R = Num.sqrt (n%:R * 4%:R^-1) / 2%:R :> R.
  rewrite sqrtrM ?ler0n // four -exprVn sqrtr_sqr ger0_norm ?invr_ge0 ?ler0n //.
  by rewrite expr2 mulrA.
by rewrite ler_pM2r ?invr_gt0 ?ltr0Sn // ler_wsqrtr // ler_wpM2l ?ler0n ?share_le.
Qed.

End Halfspace.

(* The complement, with the inequality that is not strict.                    *)
Theorem halfspace_closed (R : rcfType) (n : nat) (w : 'I_n -> R) (b : R) :
  average_sensitivity (fun x : cube 'I_n => (\sum_i w i * coord R x i <= b)%R%:R : R)
  <= Num.sqrt n%:R / 4%:R.
Proof.
have [open half] := halfspace w b; apply: le_trans half; apply: le_trans open.
rewrite le_eqVlt; apply/orP; left; apply/eqP; apply: eq_mean => x; apply: eq_bigr => i _.
congr (_ / _); rewrite !leNgt; case: (b < _); case: (b < _) => //=; rewrite ?subrr //.
  by rewrite subr0 sub0r sqrrN.
by rewrite subr0 sub0r sqrrN.
Qed.

(* One bit attains the bound.                                                 *)
Theorem halfspace_one_bit (R : rcfType) :
  average_sensitivity (fun x : cube 'I_1 => (0 < coord R x ord0)%R%:R : R) = Num.sqrt 1%:R / 4%:R.
Proof.
rewrite sqrtr1 mul1r; transitivity (mean (fun _ : cube 'I_1 => 4%:R^-1 : R)); last exact: mean_const.
apply: eq_mean => x; rewrite /sensitivity big_ord_recl big_ord0 addr0 coord_flip eqxx /coord.
case: (x ord0); rewrite ?expr1 ?expr0 ?opprK ltr01 oppr_gt0 ltNge ler01 /=.
  by rewrite sub0r sqrrN expr1n mul1r.
by rewrite subr0 expr1n mul1r.
Qed.
