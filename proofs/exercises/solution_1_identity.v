From mathcomp Require Import all_ssreflect ssralg ssrnum.
From SparseNetworks Require Import definitions.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(* Two neurons compute the identity: one takes a where it is positive, the    *)
(* other one -a where that is, and at most one of them is active.             *)
(*                                                                            *)
(* Useful: `rewrite /relu` shows the maximum, and `rewrite maxEle` makes it   *)
(* an `if`; oppr_le0 says that -a <= 0 is 0 <= a. Then `ltrgtP a 0` gives the *)
(* three cases a < 0, a > 0 and a = 0.                                        *)
Lemma identity (R : realFieldType) (a : R) : relu a - relu (- a) = a.
Proof.
rewrite /relu !maxEle oppr_le0.
have [a_pos | a_neg | ->] := ltrgtP a 0.
- by rewrite sub0r opprK.
- by rewrite subr0.
- by rewrite subrr.
Qed.
