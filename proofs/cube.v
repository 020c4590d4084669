(* The uniform mean over the cube, flips, products over the coordinates, and  *)
(* the inequality of Cauchy and Schwarz with weights.                         *)

From mathcomp Require Import all_ssreflect ssralg ssrnum.
From SparseNetworks Require Import compat definitions.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Cube.

Variables (R : realFieldType) (I : finType).
Implicit Types (x y z : cube I) (i l : I) (f g : cube I -> R).

Local Notation coord := (coord R).

(* ---- Coordinates and flips ----------------------------------------------- *)

Lemma card_cube : #|{: cube I}| = (2 ^ #|I|)%N.
Proof. by rewrite card_ffun card_bool. Qed.

Lemma card_cube_gt0 : 0 < #|{: cube I}|%:R :> R.
Proof. by rewrite card_cube ltr0n expn_gt0. Qed.

Lemma coord_sqr x i : coord x i * coord x i = 1.
Proof. by rewrite -expr2 sqrr_sign. Qed.

Lemma norm_coord x i : `|coord x i| = 1.
Proof. exact: normr_sign. Qed.

Lemma coord_times x z i : coord (times x z) i = coord x i * coord z i.
Proof. by rewrite /coord ffunE signr_addb. Qed.

Lemma flip_times x i : flip x i = times x [ffun l => l == i].
Proof. by apply/ffunP=> l; rewrite !ffunE. Qed.

Lemma coord_flip x i l : coord (flip x i) l = if l == i then - coord x l else coord x l.
Proof. by rewrite /coord ffunE signr_addb; case: eqP; rewrite ?mulr1 ?mulrN1. Qed.

Lemma times_inv z : involutive ((@times I)^~ z).
Proof. by move=> x; apply/ffunP=> l; rewrite !ffunE addbK. Qed.

Lemma flipK i : involutive ((@flip I)^~ i).
Proof. by move=> x; rewrite !flip_times times_inv. Qed.

(* ---- The mean ------------------------------------------------------------ *)

Lemma eq_mean f g : f =1 g -> mean f = mean g.
Proof. by move=> fg; congr (_ / _); apply: eq_bigr => x _. Qed.

Lemma mean_le f g : (forall x, f x <= g x) -> mean f <= mean g.
Proof. by move=> fg; rewrite ler_pM2r ?invr_gt0 ?card_cube_gt0 // ler_sum. Qed.

Lemma mean_const (c : R) : mean (fun _ : cube I => c) = c.
Proof. by rewrite /mean sumr_const -[c *+ _]mulr_natr mulfK // gt_eqF ?card_cube_gt0. Qed.

Lemma meanD f g : mean (fun x => f x + g x) = mean f + mean g.
Proof. by rewrite /mean big_split mulrDl. Qed.

Lemma meanZ (c : R) f : mean (fun x => c * f x) = c * mean f.
Proof. by rewrite /mean -mulr_sumr mulrA. Qed.

Lemma meanN f : mean (fun x => - f x) = - mean f.
Proof. by rewrite /mean sumrN mulNr. Qed.

Lemma mean_sum (K : finType) (P : pred K) (F : K -> cube I -> R) :
  mean (fun x => \sum_(k | P k) F k x) = \sum_(k | P k) mean (F k).
Proof. by rewrite /mean exchange_big /= mulr_suml. Qed.

Lemma mean_le_const f (c : R) : (forall x, f x <= c) -> mean f <= c.
Proof. by move=> f_le; rewrite -[X in _ <= X]mean_const; apply: mean_le. Qed.

(* With x, also times x z and x^(+i) are uniform.                             *)
Lemma mean_times f z : mean (fun x => f (times x z)) = mean f.
Proof. by rewrite /mean [in RHS](reindex_inj (inv_inj (times_inv z))). Qed.

Lemma mean_flip f i : mean (fun x => f (flip x i)) = mean f.
Proof.
by rewrite -[RHS](mean_times _ [ffun l => l == i]); apply: eq_mean => x; rewrite flip_times.
Qed.

(* A function that a flip negates has mean zero.                              *)
Lemma mean_odd f i : (forall x, f (flip x i) = - f x) -> mean f = 0.
Proof.
by move=> fN; apply/eqP; rewrite -eqNr -meanN -[X in _ == X](mean_flip f i); apply/eqP/eq_mean.
Qed.

Lemma eq_average_sensitivity f g :
  f =1 g -> average_sensitivity f = average_sensitivity g.
Proof. by move=> fg; apply: eq_mean => x; apply: eq_bigr => i _; rewrite !fg. Qed.

(* ---- A sum over all points of a product over the coordinates ------------- *)

Lemma sum_prod (F : I -> bool -> R) :
  \sum_(x : cube I) \prod_i F i (x i) = \prod_i (F i true + F i false).
Proof.
by rewrite -bigA_distr_bigA /=; apply: eq_bigr => i _; rewrite big_bool.
Qed.

Lemma sum_sets_prod (a b : I -> R) :
  \sum_(T : {set I}) \prod_i (if i \in T then a i else b i) = \prod_i (a i + b i).
Proof.
rewrite -(sum_prod (fun i c => if c then a i else b i)).
rewrite (reindex (fun T : {set I} => [ffun i => i \in T])) /=.
  by apply: eq_bigr => T _; apply: eq_bigr => i _; rewrite ffunE.
exists (fun x : cube I => [set i | x i]) => [T _ | x _].
  by apply/setP=> i; rewrite inE ffunE.
by apply/ffunP=> i; rewrite ffunE inE.
Qed.

Lemma exists_neq x y : x != y -> exists i, x i != y i.
Proof.
move=> xy; apply/existsP; apply: contraR xy; rewrite negb_exists => /forallP xy.
by apply/eqP/ffunP=> i; apply/eqP; rewrite -[_ == _]negbK xy.
Qed.

End Cube.

(* ---- Inequalities -------------------------------------------------------- *)

Section Inequalities.

Variables (R : realFieldType) (J : finType).
Implicit Types (P : pred J) (c a b : J -> R).

Lemma four : 4%:R = 2%:R ^+ 2 :> R.
Proof. by rewrite -natrX. Qed.

Lemma sqr_add_le (u v : R) : (u + v) ^+ 2 <= 2%:R * (u ^+ 2 + v ^+ 2).
Proof.
by rewrite sqrrD addrAC mulr_natl mulr2n lerD2l; apply: leif_mean_square_scaled.
Qed.

Lemma ler_norm_sqr (u v : R) : `|u| <= v -> u ^+ 2 <= v ^+ 2.
Proof.
by move=> uv; rewrite -real_normK ?num_real // ler_sqr ?nnegrE ?(le_trans _ uv).
Qed.

Lemma Cauchy_Schwarz_weighted P c a b : (forall j, P j -> 0 <= c j) ->
  (\sum_(j | P j) c j * (a j * b j)) ^+ 2
    <= (\sum_(j | P j) c j * a j ^+ 2) * (\sum_(j | P j) c j * b j ^+ 2).
Proof.
move=> c_ge0; rewrite -(ler_pM2l (ltr0Sn R 1)) -subr_ge0.
set A := \sum_(j | P j) c j * a j ^+ 2; set B := \sum_(j | P j) c j * b j ^+ 2.
set S := \sum_(j | P j) c j * (a j * b j).
suff -> : 2%:R * (A * B) - 2%:R * S ^+ 2
          = \sum_(i | P i) \sum_(j | P j) c i * c j * (a i * b j - a j * b i) ^+ 2.
  by do 2![apply: sumr_ge0 => ? ?]; rewrite mulr_ge0 ?sqr_ge0 // mulr_ge0 ?c_ge0.
transitivity (A * B + B * A - S * S *+ 2).
  by rewrite [B * A]mulrC -mulr2n mulr_natl mulr_natl expr2.
rewrite !big_distrlr /= -sumrMnl -big_split -sumrB; apply: eq_bigr => i _.
rewrite -sumrMnl -big_split -sumrB; apply: eq_bigr => j _ /=.
rewrite sqrrB [in RHS]addrAC mulrBr mulrDr mulrnAr !exprMn; congr (_ + _ - _ *+ 2).
- by rewrite mulrACA.
- by rewrite mulrACA [b i ^+ 2 * _]mulrC.
by rewrite mulrACA (mulrACA (a i)) (mulrACA (a i) (b j)) [b j * _]mulrC.
Qed.

Lemma Cauchy_Schwarz P a b :
  (\sum_(j | P j) a j * b j) ^+ 2
    <= (\sum_(j | P j) a j ^+ 2) * (\sum_(j | P j) b j ^+ 2).
Proof.
have := Cauchy_Schwarz_weighted a b (fun j (_ : P j) => ler01).
have one F : \sum_(j | P j) 1 * F j = \sum_(j | P j) F j :> R.
  by apply: eq_bigr => j _; rewrite mul1r.
by rewrite !one.
Qed.

Lemma sqr_sum_le (A : {set J}) a :
  (\sum_(j in A) a j) ^+ 2 <= #|A|%:R * \sum_(j in A) a j ^+ 2.
Proof.
have := Cauchy_Schwarz (mem A) (fun=> 1) a.
under eq_bigr => j _ do rewrite mul1r.
by under [X in X * _]eq_bigr => j _ do rewrite expr1n; rewrite sumr_const.
Qed.

End Inequalities.
