(* Coordinates exchanged between two independent points, and the variances of *)
(* interactions that this shows, under product laws with finite support.      *)

From mathcomp Require Import all_ssreflect ssralg ssrnum.
From SparseNetworks Require Import compat definitions product_laws identities.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(* ---- Alternating sums over sets ------------------------------------------ *)

Section Sets.

Variables (R : realFieldType) (I : finType).
Implicit Types (i : I) (S T U V : {set I}).

Definition toggle i U : {set I} := [set l | (l \in U) (+) (l == i)].
Definition differ U V : {set I} := [set l | (l \in U) (+) (l \in V)].

Lemma toggleK i : involutive (toggle i).
Proof. by move=> U; apply/setP=> l; rewrite !inE -addbA addbb addbF. Qed.

Lemma toggle_out i U : i \notin U -> toggle i U = i |: U.
Proof. by move=> iU; apply/setP=> l; rewrite !inE; case: (l =P i) => [->|]; rewrite ?(negPf iU) // addbF. Qed.

Lemma toggle_in i U : i \in U -> toggle i U = U :\ i.
Proof. by move=> iU; apply/setP=> l; rewrite !inE; case: (l =P i) => [->|]; rewrite ?iU // addbF. Qed.

Lemma sign_toggle i U : (-1) ^+ #|toggle i U| = - (-1) ^+ #|U| :> R.
Proof.
case iU: (i \in U); last by rewrite toggle_out ?iU // cardsU1 iU exprS mulN1r.
by rewrite toggle_in // [in RHS](cardsD1 i) iU exprS mulN1r opprK.
Qed.

Lemma toggle_sub i S U : i \in S -> (toggle i U \subset S) = (U \subset S).
Proof.
move=> iS; case iU: (i \in U); last by rewrite toggle_out ?iU // subUset sub1set iS.
rewrite toggle_in //; apply/idP/idP => [US | /(subset_trans (subsetDl _ _)) //].
by rewrite -(setD1K iU) subUset sub1set iS.
Qed.

(* What does not depend on whether i belongs to U cancels.                    *)
Lemma alternating0 i (P : pred {set I}) (F : {set I} -> R) :
  (forall U, P (toggle i U) = P U) -> (forall U, F (toggle i U) = F U) ->
  \sum_(U | P U) (-1) ^+ #|U| * F U = 0.
Proof.
move=> PP FF; set X := \sum_(U | P U) _.
have /eqP : X = - X.
  rewrite {1}/X (reindex_inj (inv_inj (toggleK i))) /= -sumrN.
  by apply: eq_big => [U | U _]; rewrite ?PP // sign_toggle FF mulNr.
by rewrite -addr_eq0 -mulr2n mulrn_eq0 => /eqP.
Qed.

Lemma moebius (F : {set I} -> R) S :
  \sum_(T : {set I} | T \subset S) \sum_(K : {set I} | K \subset T) (-1) ^+ #|T| * (-1) ^+ #|K| * F K = F S.
Proof.
rewrite (exchange_big_dep (fun K : {set I} => K \subset S)) /=; last first.
  by move=> T K TS KT; apply: subset_trans TS.
rewrite (bigD1 S) //= (big_pred1 S) => [| T]; last by rewrite -eqEsubset.
rewrite -expr2 sqrr_sign mul1r big1 ?addr0 // => K /andP[KS].
rewrite eqEsubset KS => /subsetPn[i iS iK].
transitivity (\sum_(T : {set I} | (T \subset S) && (K \subset T)) (-1) ^+ #|T| * ((-1) ^+ #|K| * F K)).
  by apply: eq_bigr => T _; rewrite mulrA.
apply: (alternating0 (i := i)) => // T; rewrite toggle_sub //; congr (_ && _).
case iT: (i \in T); first by rewrite toggle_in // subsetD1 iK andbT.
rewrite toggle_out ?iT //; apply/idP/idP => [KT | /subset_trans -> //]; last exact: subsetUr.
apply/subsetP => l lK; have := subsetP KT l lK; rewrite !inE => /orP[/eqP li | //].
by rewrite -li lK in iK.
Qed.

End Sets.

(* ---- Two independent points ---------------------------------------------- *)

Section Exchange.

Variables (R : realFieldType) (I A : finType) (p : I -> A -> R).
Hypothesis law : is_law p.
Implicit Types (x y z : {ffun I -> A}) (i : I) (S T U V K L : {set I}) (f g r : {ffun I -> A} -> R).

Local Notation E := (expectation p).
Local Notation given := (given p).
Local Notation term := (term p).
Local Notation interactions := (interactions p).

Lemma mix0 x y : mix set0 x y = x.
Proof. by apply/ffunP=> i; rewrite ffunE inE. Qed.

Lemma mixT x y : mix setT x y = y.
Proof. by apply/ffunP=> i; rewrite ffunE inE. Qed.

Lemma mixC S x y : mix S y x = mix (~: S) x y.
Proof. by apply/ffunP=> i; rewrite !ffunE inE; case: (i \in S). Qed.

Lemma mix_differ U V x y : mix V (mix U x y) (mix U y x) = mix (differ U V) x y.
Proof. by apply/ffunP=> i; rewrite !ffunE inE; case: (i \in U); case: (i \in V). Qed.

Lemma mix_mix U V x y z : mix V (mix U x y) z = mix (U :|: V) x (mix V y z).
Proof. by apply/ffunP=> i; rewrite !ffunE !inE; case: (i \in U); case: (i \in V). Qed.

Lemma differ_same U : differ U U = set0.
Proof. by apply/setP=> i; rewrite !inE addbb. Qed.

Definition E2 (F : {ffun I -> A} -> {ffun I -> A} -> R) : R := E (fun x => E (F x)).

Lemma eq_E f g : f =1 g -> E f = E g.
Proof. by move=> fg; apply: eq_bigr => x _; rewrite fg. Qed.

Lemma eq_E2 F G : (forall x y, F x y = G x y) -> E2 F = E2 G.
Proof. by move=> FG; apply: eq_E => x; apply: eq_E => y. Qed.

Lemma ED f g : E (fun x => f x + g x) = E f + E g.
Proof. by rewrite /expectation -big_split; apply: eq_bigr => x _; rewrite mulrDr. Qed.

Lemma EZ c f : E (fun x => c * f x) = c * E f.
Proof. by rewrite /expectation mulr_sumr; apply: eq_bigr => x _; rewrite mulrCA. Qed.

Lemma EN f : E (fun x => - f x) = - E f.
Proof. by rewrite /expectation -sumrN; apply: eq_bigr => x _; rewrite mulrN. Qed.

Lemma E_sum (J : finType) (P : pred J) (F : J -> {ffun I -> A} -> R) :
  E (fun x => \sum_(j | P j) F j x) = \sum_(j | P j) E (F j).
Proof. by rewrite /expectation exchange_big; apply: eq_bigr => x _; rewrite mulr_sumr. Qed.

Lemma E2D F G : E2 (fun x y => F x y + G x y) = E2 F + E2 G.
Proof. by rewrite -ED; apply: eq_E => x; rewrite ED. Qed.

Lemma E2Z c F : E2 (fun x y => c * F x y) = c * E2 F.
Proof. by rewrite -EZ; apply: eq_E => x; rewrite EZ. Qed.

Lemma E2N F : E2 (fun x y => - F x y) = - E2 F.
Proof. by rewrite -EN; apply: eq_E => x; rewrite EN. Qed.

Lemma E2B F G : E2 (fun x y => F x y - G x y) = E2 F - E2 G.
Proof. by rewrite E2D E2N. Qed.

Lemma E2_left f : E2 (fun x _ => f x) = E f.
Proof. by apply: eq_E => x; rewrite (expectation_const law). Qed.

Lemma E_ge0 f : (forall x, 0 <= f x) -> 0 <= E f.
Proof. by move=> f0; apply: sumr_ge0 => x _; rewrite mulr_ge0 ?(product_law_ge0 law). Qed.

(* Exchanging coordinates between two independent points changes nothing.     *)
Lemma exchange S F : E2 F = E2 (fun x y => F (mix S x y) (mix S y x)).
Proof.
have flat G : E2 G = \sum_xy product_law p xy.1 * product_law p xy.2 * G xy.1 xy.2.
  rewrite -(pair_bigA _ (fun x y => product_law p x * product_law p y * G x y)).
  by apply: eq_bigr => x _; rewrite mulr_sumr; apply: eq_bigr => y _; rewrite mulrA.
pose swap (xy : {ffun I -> A} * {ffun I -> A}) := (mix S xy.1 xy.2, mix S xy.2 xy.1).
have swapK : involutive swap.
  by move=> [x y]; rewrite /swap /= !mix_differ differ_same !mix0.
rewrite !flat (reindex_inj (inv_inj swapK)); apply: eq_bigr => -[x y] _ /=; congr (_ * _).
rewrite /product_law -!big_split; apply: eq_bigr => i _ /=; rewrite !ffunE.
by case: ifP; rewrite // mulrC.
Qed.

(* E f(x) f(x'), where x' has the coordinates outside K drawn anew.           *)
Definition kept f K : R := E2 (fun x y => f x * f (mix (~: K) x y)).

Lemma kept_differ f U V : E2 (fun x y => f (mix U x y) * f (mix V x y)) = kept f (~: differ U V).
Proof.
rewrite (exchange U); apply: eq_E2 => x y.
by rewrite !mix_differ differ_same mix0 setCK.
Qed.

Lemma E_comm F : E (fun x => E (F x)) = E (fun y => E (F ^~ y)).
Proof.
rewrite /expectation; under eq_bigr => x _ do rewrite mulr_sumr.
under [RHS]eq_bigr => x _ do rewrite mulr_sumr.
by rewrite exchange_big; apply: eq_bigr => y _; apply: eq_bigr => x _; rewrite mulrCA.
Qed.

Lemma E_redrawn f S : E (fun y => E (fun z => f (mix S y z))) = E f.
Proof.
rewrite -[RHS]E2_left -/(E2 (fun y z => f (mix S y z))) (exchange S).
by apply: eq_E2 => x y; rewrite mix_differ differ_same mix0.
Qed.

Lemma given_given f K L : E (fun x => given f K x * given f L x) = kept f (K :&: L).
Proof.
transitivity (E (fun z => E2 (fun x y => f (mix (~: K) x y) * f (mix (~: L) x z)))).
  rewrite [RHS]E_comm; apply: eq_E => x; rewrite -EZ; apply: eq_E => z.
  by rewrite mulrC -EZ; apply: eq_E => y; rewrite mulrC.
under eq_E => z do rewrite (exchange (~: K)).
rewrite E_comm; apply: eq_E => x.
transitivity (f x * E (fun y => E (fun z => f (mix (~: (K :&: L)) x (mix (~: L) y z))))).
  rewrite E_comm -EZ; apply: eq_E => z; rewrite -EZ; apply: eq_E => y.
  by rewrite mix_differ differ_same mix0 mix_mix setCI.
by rewrite (E_redrawn (fun y => f (mix (~: (K :&: L)) x y))) -EZ.
Qed.

(* ---- The decomposition --------------------------------------------------- *)

(* The variance of f_T.                                                       *)
Definition part f T : R := \sum_(K : {set I} | K \subset T) (-1) ^+ #|T| * (-1) ^+ #|K| * kept f K.

Lemma term_cross f T T' : E (fun x => term f T x * term f T' x)
  = \sum_(L : {set I} | L \subset T') (-1) ^+ #|T'| * (-1) ^+ #|L|
    * ((-1) ^+ #|T| * \sum_(K : {set I} | K \subset T) (-1) ^+ #|K| * kept f (K :&: L)).
Proof.
transitivity (E (fun x => \sum_(L : {set I} | L \subset T') (-1) ^+ #|T'| * (-1) ^+ #|L|
    * \sum_(K : {set I} | K \subset T) (-1) ^+ #|T| * ((-1) ^+ #|K| * (given f K x * given f L x)))).
  apply: eq_E => x; rewrite /term big_distrlr exchange_big; apply: eq_bigr => L _ /=.
  by rewrite [RHS]mulr_sumr; apply: eq_bigr => K _; apply: alternating_term.
rewrite E_sum; apply: eq_bigr => L _; rewrite EZ E_sum; congr (_ * _).
by rewrite mulr_sumr; apply: eq_bigr => K _; rewrite !EZ given_given.
Qed.

Lemma cross0 f T L i : i \in T -> i \notin L ->
  \sum_(K : {set I} | K \subset T) (-1) ^+ #|K| * kept f (K :&: L) = 0.
Proof.
move=> iT iL; apply: (alternating0 (i := i)) => U; first exact: toggle_sub.
by congr (kept f _); apply/setP=> l; rewrite !inE; case: (l =P i) => [->|]; rewrite ?(negPf iL) ?andbF // addbF.
Qed.

Lemma term_sqr f T : E (fun x => term f T x ^+ 2) = part f T.
Proof.
rewrite term_cross (bigD1 T) //= [X in _ + X]big1 => [| L /andP[LT]]; last first.
  by rewrite eqEsubset LT => /subsetPn[i iT iL]; rewrite (cross0 f iT iL) !mulr0.
rewrite addr0 /part -expr2 sqrr_sign mul1r mulr_sumr; apply: eq_bigr => K KT.
by rewrite (setIidPl KT) mulrA.
Qed.

Lemma term_orthogonal f T T' : T != T' -> E (fun x => term f T x * term f T' x) = 0.
Proof.
have sub U U' : ~~ (U \subset U') -> E (fun x => term f U x * term f U' x) = 0.
  case/subsetPn=> i iU iU'; rewrite term_cross big1 // => L LU'.
  by rewrite (cross0 f iU) ?mulr0 //; apply: contra iU' => /(subsetP LU').
rewrite eqEsubset negb_and => /orP[/sub // | /sub <-]; by apply: eq_E => x; rewrite mulrC.
Qed.

Lemma part_ge0 f T : 0 <= part f T.
Proof. by rewrite -term_sqr E_ge0 // => x; apply: sqr_ge0. Qed.

Lemma kept_parts f S : kept f S = \sum_(T : {set I} | T \subset S) part f T.
Proof. by rewrite /part moebius. Qed.

Lemma given_all f x : given f setT x = f x.
Proof.
rewrite /given setCT -[RHS](expectation_const law); apply: eq_E => y; by rewrite mix0.
Qed.

Lemma decomposition f x : f x = \sum_(T : {set I}) term f T x.
Proof.
rewrite -{1}given_all -(moebius (fun K => given f K x)).
by apply: eq_bigl => T; rewrite subsetT.
Qed.

Lemma second_moment f : E (fun x => f x ^+ 2) = \sum_(T : {set I}) part f T.
Proof.
transitivity (kept f setT); last by rewrite kept_parts; apply: eq_bigl => T; rewrite subsetT.
by rewrite -[LHS]E2_left; apply: eq_E2 => x y; rewrite setCT mix0.
Qed.

(* ---- The block lemma ----------------------------------------------------- *)

(* S splits T.                                                                *)
Definition splits S T := ~~ (T \subset S) && ~~ (T \subset ~: S).

Definition exchanged f S : R :=
  E2 (fun x y => (f x + f y - f (mix S x y) - f (mix S y x)) ^+ 2) / 4%:R.

Lemma exchanged_kept f S : exchanged f S = kept f setT + kept f set0 - kept f S - kept f (~: S).
Proof.
have d0 V : differ set0 V = V by apply/setP=> i; rewrite !inE.
have dT V : differ setT V = ~: V by apply/setP=> i; rewrite !inE.
have dC : differ S (~: S) = setT by apply/setP=> i; rewrite !inE; case: (i \in S).
rewrite /exchanged; set F := E2 _; suff -> : F = 4%:R * (kept f setT + kept f set0 - kept f S - kept f (~: S)).
  by rewrite mulrC mulKf ?pnatr_eq0.
transitivity (E2 (fun x y => (f (mix set0 x y) + f (mix setT x y) - f (mix S x y) - f (mix (~: S) x y)) ^+ 2)).
  by apply: eq_E2 => x y; rewrite mix0 mixT [mix S y x]mixC.
rewrite (eq_E2 (fun x y => four_corners _ _ _ _)) E2B !E2D !E2Z !E2D !kept_differ.
rewrite !differ_same !d0 !dT dC !setCK !setC0 !setCT.
exact: four_kept.
Qed.

Lemma block_lemma f S : exchanged f S = \sum_(T : {set I} | splits S T) part f T.
Proof.
have mk S' : kept f S' = \sum_(T : {set I}) (if T \subset S' then part f T else 0).
  by rewrite kept_parts big_mkcond.
rewrite exchanged_kept !mk [RHS]big_mkcond -big_split -!sumrB; apply: eq_bigr => T _ /=.
have -> : (T \subset set0) = (T \subset S) && (T \subset ~: S) by rewrite -subsetI setICr.
rewrite subsetT /splits; case: (_ \subset S); case: (_ \subset ~: S); rewrite /= ?addr0 ?subr0 ?subrr //.
by rewrite addrK subrr.
Qed.

(* ---- The decomposition is that of the best sum of functions of one ------- *)

Lemma interactionsE f : interactions f = \sum_(T : {set I} | (1 < #|T|)%N) part f T.
Proof. by apply: eq_bigr => T _; apply: term_sqr. Qed.

Lemma given_additive a c K x :
  given (additive_sum a c) K x = c + \sum_i (if i \in K then a i (x i) else E (fun y => a i (y i))).
Proof.
rewrite /given /additive_sum ED (expectation_const law) E_sum; congr (_ + _); apply: eq_bigr => i _.
rewrite (eq_E (g := fun y => if i \in K then a i (x i) else a i (y i))).
  by case: ifP => // _; rewrite (expectation_const law).
by move=> y; rewrite ffunE inE; case: (i \in K).
Qed.

Lemma term_additive a c T x : (1 < #|T|)%N -> term (additive_sum a c) T x = 0.
Proof.
move=> T1; rewrite /term.
transitivity ((-1) ^+ #|T| * \sum_(K : {set I} | K \subset T) (-1) ^+ #|K| * given (additive_sum a c) K x).
  by rewrite mulr_sumr; apply: eq_bigr => K _; rewrite mulrA.
apply/eqP; rewrite mulf_eq0 signr_eq0 /=; apply/eqP.
under eq_bigr => K _ do rewrite given_additive mulrDr mulr_sumr.
have [i iT] : exists i, i \in T by apply/set0Pn; rewrite -card_gt0 ltnW.
rewrite big_split exchange_big /= (alternating0 (i := i)) //; last by move=> U; apply: toggle_sub.
rewrite add0r big1 // => l _.
have [j jT jl] : exists2 j, j \in T & j != l.
  have [i' [j [i'T jT i'j]]] := card_gt1P T1.
  by case: (i' =P l) => [il | /eqP il]; [exists j; rewrite // eq_sym -il | exists i'].
apply: (alternating0 (i := j)) => U; first exact: toggle_sub.
by rewrite inE eq_sym (negPf jl) addbF.
Qed.

Lemma termB f g T x : term (fun y => f y - g y) T x = term f T x - term g T x.
Proof.
rewrite /term -sumrB; apply: eq_bigr => K _; rewrite -mulrBr -EN -ED.
by congr (_ * _); apply: eq_E => y.
Qed.

Lemma interactions_le f a c : interactions f <= E (fun x => (f x - additive_sum a c x) ^+ 2).
Proof.
rewrite second_moment interactionsE big_mkcond; apply: ler_sum => T _.
case: ifP => [T1 | _]; last exact: part_ge0.
rewrite -!term_sqr le_eqVlt (_ : _ == _) //; apply/eqP; apply: eq_E => x.
by rewrite termB term_additive // subr0.
Qed.

(* The terms of at most one coordinate.                                       *)
Lemma main_additive f :
  exists a c, forall x, additive_sum a c x = \sum_(T : {set I} | ~~ (1 < #|T|)%N) term f T x.
Proof.
pose main i e := E (fun y => f (replace y i e)) - E f.
exists main, (E f) => x.
have small T : ~~ (1 < #|T|)%N = (T == set0) || (T \in [set [set i] | i in predT]).
  rewrite -leqNgt leq_eqVlt ltnS leqn0 cards_eq0 orbC; congr (_ || _).
  by apply/cards1P/imsetP => [[i ->] | [i _ ->]]; exists i.
have given0 : given f set0 x = E f by apply: eq_E => y; rewrite setC0 mixT.
have term0 : term f set0 x = E f.
  rewrite /term (big_pred1 set0) => [| K]; last by rewrite subset0.
  by rewrite -expr2 sqrr_sign mul1r.
have term1 i : term f [set i] x = main i (x i).
  rewrite /term (bigD1 [set i]) //= (big_pred1 set0) => [| K]; last first.
    by rewrite subset1 andb_orl andbN /=; case: eqP => // ->; rewrite eq_sym -card_gt0 cards1.
  rewrite -expr2 sqrr_sign mul1r cards1 cards0 mulr1 expr1 mulN1r given0; congr (_ - _).
  by apply: eq_E => y; congr (f _); apply/ffunP=> l; rewrite !ffunE !inE; case: (l =P i) => [-> | _].
rewrite (bigD1 set0) ?cards0 //= term0; congr (_ + _).
rewrite (eq_bigl (fun T => T \in [set [set i] | i in predT])) => [| T]; last first.
  rewrite small; case: (T =P set0) => [-> | _]; rewrite ?andbF ?andbT //=.
  by apply/esym/imsetP=> -[i _ /setP/(_ i)]; rewrite !inE eqxx.
rewrite big_imset /= => [| i l _ _ /set1_inj //].
by apply: eq_bigr => i _; rewrite term1.
Qed.

Lemma interactions_attained f : exists a c, E (fun x => (f x - additive_sum a c x) ^+ 2) = interactions f.
Proof.
have [a [c ac]] := main_additive f; exists a, c.
transitivity (E (fun x => \sum_(T : {set I} | (1 < #|T|)%N) \sum_(T' : {set I} | (1 < #|T'|)%N)
                           term f T x * term f T' x)).
  apply: eq_E => x; rewrite {1}decomposition ac (bigID (fun T : {set I} => (1 < #|T|)%N)) /= addrK.
  by rewrite expr2 big_distrlr.
rewrite E_sum; apply: eq_bigr => T T1; rewrite E_sum (bigD1 T) //= big1 ?addr0.
  by apply: eq_E => x; rewrite expr2.
by move=> T' /andP[_ TT']; rewrite term_orthogonal // eq_sym.
Qed.

(* ---- Half of the coordinates --------------------------------------------- *)

Definition halves m : {set {set I}} := [set S : {set I} | #|S| == m].

Lemma splits_gt1 S T : splits S T -> (1 < #|T|)%N.
Proof.
case/andP=> /subsetPn[i iT iS] /subsetPn[j jT]; rewrite inE negbK => jS.
by apply/card_gt1P; exists i, j; split=> //; apply: contraNneq iS => ->.
Qed.

Lemma card_separating m i j : i != j -> (0 < m)%N ->
  #|[set S in halves m | (i \in S) && (j \notin S)]| = 'C(#|I| - 2, m.-1).
Proof.
move=> ij m0; have <- : #|~: [set i; j]| = (#|I| - 2)%N by rewrite -(cardsC [set i; j]) cards2 ij addKn.
rewrite -cards_draws -[RHS](card_in_imset (f := fun U : {set I} => i |: U)) => [|U U']; last first.
  rewrite !inE => /andP[/subsetP UB _] /andP[/subsetP UB' _] /setP UU'; apply/setP=> l.
  have := UU' l; rewrite !inE; case: (l =P i) => [-> _ | //].
  by apply/idP/idP => [/UB | /UB']; rewrite !inE eqxx.
apply: eq_card => S; rewrite !inE; apply/idP/imsetP => [/and3P[/eqP Sm iS jS] | [U]].
  exists (S :\ i); last by rewrite setD1K.
  rewrite inE; apply/andP; split; last by rewrite -Sm (cardsD1 i S) iS.
  by apply/subsetP=> l; rewrite !inE => /andP[li lS]; rewrite negb_or li; apply: contraNneq jS => <-.
rewrite inE => /andP[/subsetP UB /eqP Um] ->.
have iU : i \notin U by apply/negP=> /UB; rewrite !inE eqxx.
have jU : j \notin U by apply/negP=> /UB; rewrite !inE eqxx orbT.
by rewrite cardsU1 iU Um add1n prednK // eqxx !inE eqxx eq_sym (negPf ij) (negPf jU).
Qed.

Lemma card_splits_pair m i j : i != j -> (0 < m)%N ->
  #|[set S in halves m | splits S [set i; j]]| = (2 * 'C(#|I| - 2, m.-1))%N.
Proof.
move=> ij m0; pose sep k l := [set S in halves m | (k \in S) && (l \notin S)].
have -> : [set S in halves m | splits S [set i; j]] = sep i j :|: sep j i.
  apply/setP=> S; rewrite !inE -andb_orr /splits !subUset !sub1set !inE; congr (_ && _).
  by case: (i \in S); case: (j \in S).
rewrite cardsU !card_separating // 1?eq_sym // addnn -mul2n (_ : _ :&: _ = set0) ?cards0 ?subn0 //.
by apply/setP=> S; rewrite !inE; case: (i \in S); case: (j \in S); rewrite ?andbF.
Qed.

Lemma card_splits m T : (1 < #|T|)%N -> (0 < m)%N ->
  (2 * 'C(#|I| - 2, m.-1) <= #|[set S in halves m | splits S T]|)%N.
Proof.
move=> /card_gt1P[i [j [iT jT ij]]] m0; rewrite -(card_splits_pair ij m0).
apply: subset_leq_card; apply/subsetP=> S; rewrite !inE => /andP[-> /andP[iS jS]].
have sub U : [set i; j] \subset T -> ~~ ([set i; j] \subset U) -> ~~ (T \subset U).
  by move=> ijT; apply: contra; apply: subset_trans.
by rewrite /splits !sub // subUset !sub1set iT.
Qed.

Lemma binomial_halves m : (0 < m)%N ->
  (m * 'C(2 * m, m) = (2 * m - 1) * (2 * 'C(2 * m - 2, m.-1)))%N.
Proof.
case: m => // m _; have -> : (2 * m.+1 = (m + m.+1).+1)%N by rewrite mul2n -addnn addSn.
rewrite -mul_bin_diag [(_ - 2)%N]subSS !subn1 /= [RHS]mulnCA.
have -> : ((m + m.+1) * 'C((m + m.+1).-1, m) = m.+1 * 'C(m + m.+1, m))%N by rewrite mul_bin_down addKn.
by rewrite mulnA; congr (_ * _)%N; rewrite mul2n -addnn addSn.
Qed.

Lemma sum_exchanged f m : \sum_(S in halves m) exchanged f S
  = \sum_(T : {set I}) part f T * #|[set S in halves m | splits S T]|%:R.
Proof.
under eq_bigr => S _ do rewrite block_lemma.
rewrite (exchange_big_dep predT) //=; apply: eq_bigr => T _.
rewrite mulr_natr -sumr_const; apply: eq_bigl => S; by rewrite !inE.
Qed.

Theorem exchange_halves f m : #|I| = (2 * m)%N -> (0 < m)%N ->
  m%:R / (2 * m - 1)%:R * interactions f <= (\sum_(S in halves m) exchanged f S) / #|halves m|%:R <= interactions f.
Proof.
move=> Im m0; have cardH : #|halves m| = 'C(2 * m, m) by rewrite -Im -card_draws.
have H0 : 0 < #|halves m|%:R :> R by rewrite ltr0n cardH bin_gt0 leq_pmull.
have m1 : (0 < 2 * m - 1)%N by rewrite subn_gt0 (@leq_ltn_trans m) // mul2n -addnn -[X in (X < _)%N]addn0 ltn_add2l.
rewrite sum_exchanged interactionsE ler_pdivlMr // ler_pdivrMr //; apply/andP; split.
  rewrite mulr_sumr mulr_suml big_mkcond; apply: ler_sum => T _.
  case: ifP => [T1 | _]; last by rewrite mulr_ge0 ?part_ge0 ?ler0n.
  rewrite mulrAC [leLHS]mulrC ler_wpM2l ?part_ge0 // -mulrA [_^-1 * _]mulrC mulrA ler_pdivrMr ?ltr0n //.
  rewrite -!natrM ler_nat cardH binomial_halves // mulnC leq_mul2r -Im card_splits ?orbT //.
rewrite [leRHS]mulrC mulr_sumr [leRHS]big_mkcond; apply: ler_sum => T _.
case: ifP => [T1 | /negbT T1].
  rewrite [leLHS]mulrC ler_wpM2r ?part_ge0 // ler_nat; apply: subset_leq_card.
  by apply/subsetP=> S; rewrite inE => /andP[].
rewrite (_ : [set _ in _ | _] = set0) ?cards0 ?mulr0 //.
by apply/setP=> S; rewrite !inE; apply/negbTE; rewrite negb_and (contra (@splits_gt1 S T)) ?orbT.
Qed.

(* With pairs alone the lower end is attained.                                *)
Theorem exchange_halves_pairs f m : #|I| = (2 * m)%N -> (0 < m)%N ->
  (forall T, (2 < #|T|)%N -> part f T = 0) ->
  (\sum_(S in halves m) exchanged f S) / #|halves m|%:R = m%:R / (2 * m - 1)%:R * interactions f.
Proof.
move=> Im m0 pairs; have cardH : #|halves m| = 'C(2 * m, m) by rewrite -Im -card_draws.
have H0 : #|halves m|%:R != 0 :> R by rewrite pnatr_eq0 -lt0n cardH bin_gt0 leq_pmull.
have m1 : (2 * m - 1)%:R != 0 :> R.
  by rewrite pnatr_eq0 -lt0n subn_gt0 (@leq_ltn_trans m) // mul2n -addnn -[X in (X < _)%N]addn0 ltn_add2l.
apply: (mulIf H0); rewrite divfK // sum_exchanged interactionsE mulrAC mulr_sumr [RHS]big_mkcond.
apply: eq_bigr => T _; case: ifP => [|/negbT T1]; last first.
  rewrite (_ : [set _ in _ | _] = set0) ?cards0 ?mulr0 //.
  by apply/setP=> S; rewrite !inE; apply/negbTE; rewrite negb_and (contra (@splits_gt1 S T)) ?orbT.
rewrite leq_eqVlt => /orP[two | /pairs ->]; last by rewrite mulr0 mul0r.
have [i [j [ij ->]]] : exists i j, i != j /\ T = [set i; j].
  by move: two; rewrite eq_sym => /cards2P[i [j [ij ->]]]; exists i, j.
rewrite card_splits_pair // mulrC; congr (_ * _); apply: (mulIf m1).
by rewrite mulrAC divfK // -!natrM cardH binomial_halves // -Im mulnC.
Qed.

(* ---- Colours ------------------------------------------------------------- *)

Section Colours.

Variable C : finType.
Implicit Types (c : I -> C) (k : C).

Definition class c k : {set I} := [set i | c i == k].

(* One plus twice as many evaluations as there are colours, and one more.     *)
Definition coloured f c : R := E2 (fun x y =>
  (1 - #|C|%:R / 4%:R) * (f x - f y) ^+ 2 / 2%:R
  + \sum_k ((f (mix (class c k) x y) - f (mix (class c k) y x)) ^+ 2 / 8%:R
            - (f x - f (mix (class c k) x y)) * (f (mix (class c k) y x) - f y) / 2%:R)).

Lemma E2_sum (F : C -> {ffun I -> A} -> {ffun I -> A} -> R) :
  E2 (fun x y => \sum_k F k x y) = \sum_k E2 (F k).
Proof. by rewrite -E_sum; apply: eq_E => x; rewrite E_sum. Qed.

Let spread f := kept f setT - kept f set0.

Lemma E2_square f : E2 (fun x y => (f x - f y) ^+ 2) = 2%:R * spread f.
Proof.
transitivity (E2 (fun x y => (f (mix set0 x y) * f (mix set0 x y) + f (mix setT x y) * f (mix setT x y))
                             - 2%:R * (f (mix set0 x y) * f (mix setT x y)))).
  by apply: eq_E2 => x y; rewrite mix0 mixT sqrrB !expr2 mulr_natl addrAC.
rewrite E2B E2D E2Z !kept_differ !differ_same setC0.
have -> : differ set0 setT = setT :> {set I} by apply/setP=> i; rewrite !inE.
by rewrite setCT -mulr2n -[kept f setT *+ 2]mulr_natl -mulrBr.
Qed.

Lemma E2_square_mix f S : E2 (fun x y => (f (mix S x y) - f (mix S y x)) ^+ 2) = 2%:R * spread f.
Proof. by rewrite -E2_square [RHS](exchange S). Qed.

Lemma E2_product f S :
  E2 (fun x y => (f x - f (mix S x y)) * (f (mix S y x) - f y)) = 2%:R * (kept f S - kept f set0).
Proof.
transitivity (E2 (fun x y => (f (mix set0 x y) * f (mix (~: S) x y) + f (mix S x y) * f (mix setT x y))
                             - (f (mix set0 x y) * f (mix setT x y) + f (mix S x y) * f (mix (~: S) x y)))).
  apply: eq_E2 => x y; rewrite mix0 mixT [mix S y x]mixC; exact: product_corners.
rewrite E2B !E2D !kept_differ.
have -> : differ set0 (~: S) = ~: S by apply/setP=> i; rewrite !inE.
have -> : differ S setT = ~: S by apply/setP=> i; rewrite !inE addbT.
have -> : differ set0 setT = setT :> {set I} by apply/setP=> i; rewrite !inE.
have -> : differ S (~: S) = setT by apply/setP=> i; rewrite !inE; case: (i \in S).
by rewrite setCK setCT -!mulr2n -![kept f _ *+ 2]mulr_natl -mulrBr.
Qed.

Lemma coloured_kept f c : coloured f c = spread f - \sum_k (kept f (class c k) - kept f set0).
Proof.
transitivity ((1 - #|C|%:R / 4%:R) * spread f + \sum_k (spread f / 4%:R - (kept f (class c k) - kept f set0))).
  rewrite /coloured E2D E2_sum; congr (_ + _).
    have -> : E2 (fun x y => (1 - #|C|%:R / 4%:R) * (f x - f y) ^+ 2 / 2%:R)
              = (1 - #|C|%:R / 4%:R) / 2%:R * E2 (fun x y => (f x - f y) ^+ 2).
      by rewrite -E2Z; apply: eq_E2 => x y; rewrite mulrAC.
    by rewrite E2_square mulrA divfK ?pnatr_eq0.
  apply: eq_bigr => k _; rewrite E2B; congr (_ - _).
    have -> : E2 (fun x y => (f (mix (class c k) x y) - f (mix (class c k) y x)) ^+ 2 / 8%:R)
              = 8%:R^-1 * E2 (fun x y => (f (mix (class c k) x y) - f (mix (class c k) y x)) ^+ 2).
      by rewrite -E2Z; apply: eq_E2 => x y; rewrite mulrC.
    have -> : 8%:R^-1 = 4%:R^-1 * 2%:R^-1 :> R by rewrite -invfM -natrM.
    by rewrite E2_square_mix -mulrA mulKf ?pnatr_eq0 // mulrC.
  have -> : E2 (fun x y => (f x - f (mix (class c k) x y)) * (f (mix (class c k) y x) - f y) / 2%:R)
            = 2%:R^-1 * E2 (fun x y => (f x - f (mix (class c k) x y)) * (f (mix (class c k) y x) - f y)).
    by rewrite -E2Z; apply: eq_E2 => x y; rewrite mulrC.
  by rewrite E2_product mulrA mulVf ?pnatr_eq0 // mul1r.
rewrite [X in _ + X]sumrB sumr_const addrA; congr (_ - _).
by rewrite -[_ *+ #|_|]mulr_natl mulrBl mul1r -mulrA [4%:R^-1 * _]mulrC subrK.
Qed.

Definition meets_two c T := (1 < #|c @: T|)%N.

Lemma monochrome c T : T != set0 -> (\sum_k (T \subset class c k) = ~~ meets_two c T)%N.
Proof.
case/set0Pn=> i iT; rewrite /meets_two -leqNgt (bigD1 (c i)) //= big1 ?addn0 => [| k]; last first.
  move=> ki; apply/eqP; rewrite eqb0; apply: contraNN ki => /subsetP/(_ i iT).
  by rewrite inE eq_sym.
congr nat_of_bool; apply/idP/idP => [/subsetP Ti | one].
  rewrite -(cards1 (c i)); apply: subset_leq_card; apply/subsetP=> k /imsetP[l lT ->].
  by have := Ti l lT; rewrite !inE.
apply/subsetP=> l lT; rewrite inE; apply/eqP.
have /card_le1P/(_ _ (imset_f c iT)) single := one.
by have := single (c l); rewrite (imset_f c lT) inE => /esym/eqP.
Qed.

Lemma colour_lemma f c : coloured f c = \sum_(T : {set I} | meets_two c T) part f T.
Proof.
have mk S : kept f S - kept f set0 = \sum_(T : {set I} | T != set0) (T \subset S)%:R * part f T.
  rewrite !kept_parts (big_pred1 set0 (P := fun T => T \subset set0)) => [| T]; last by rewrite subset0.
  rewrite (bigD1 set0) ?sub0set //= addrC addKr big_mkcond [RHS]big_mkcond; apply: eq_bigr => T _.
  by rewrite andbC; case: (T != set0); case: (T \subset S); rewrite ?mul1r ?mul0r.
rewrite coloured_kept /spread mk; under [X in _ - X]eq_bigr => k _ do rewrite mk.
rewrite exchange_big -sumrB [RHS]big_mkcond [LHS]big_mkcond; apply: eq_bigr => T _ /=.
case: (T =P set0) => [-> | /eqP T0] /=; first by rewrite /meets_two imset0 cards0.
rewrite subsetT mul1r -mulr_suml -natr_sum monochrome //.
by case: (meets_two c T); rewrite ?mul0r ?mul1r ?subr0 ?subrr.
Qed.

Lemma meets_two_gt1 c T : meets_two c T -> (1 < #|T|)%N.
Proof. by move=> c1; apply: leq_trans c1 (leq_imset_card c T). Qed.

(* Colourings that are drawn uniformly from a list, in which each two         *)
(* coordinates have different colours in a part "chance" of them, at least.   *)
Theorem exchange_colours (J : finType) (cs : J -> I -> C) f (chance : R) :
  (0 < #|J|)%N ->
  (forall i l, i != l -> chance * #|J|%:R <= #|[set s | cs s i != cs s l]|%:R) ->
  chance * interactions f <= (\sum_s coloured f (cs s)) / #|J|%:R <= interactions f.
Proof.
move=> J0 often; rewrite interactionsE; have J1 : 0 < #|J|%:R :> R by rewrite ltr0n.
have -> : \sum_s coloured f (cs s)
    = \sum_(T : {set I} | (1 < #|T|)%N) part f T * #|[set s | meets_two (cs s) T]|%:R.
  under eq_bigr => s _ do rewrite colour_lemma.
  rewrite (exchange_big_dep (fun T : {set I} => 1 < #|T|)%N) /= => [| s T _]; last exact: meets_two_gt1.
  apply: eq_bigr => T _; rewrite mulr_natr -sumr_const; apply: eq_bigl => s; by rewrite inE.
rewrite ler_pdivlMr // ler_pdivrMr //; apply/andP; split.
  rewrite mulrAC mulr_sumr; apply: ler_sum => T /card_gt1P[i [l [iT lT il]]].
  rewrite mulrC ler_wpM2l ?part_ge0 // (le_trans (often i l il)) // ler_nat; apply: subset_leq_card.
  apply/subsetP=> s; rewrite !inE => sil; apply/card_gt1P.
  by exists (cs s i), (cs s l); split=> //; apply: imset_f.
rewrite mulr_suml; apply: ler_sum => T _.
by rewrite ler_wpM2l ?part_ge0 // ler_nat max_card.
Qed.

End Colours.

End Exchange.
