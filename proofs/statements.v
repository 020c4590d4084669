(* The statements of the ledger that are proved: one theorem for each entry,  *)
(* whose name is the id with _ for -. They use the definitions of             *)
(* definitions.v and nothing else; the proofs are in the other files.         *)
(* In all of them h is [value N] for a network N with n inputs and s neurons. *)

From mathcomp Require Import all_ssreflect ssralg ssrnum ssrint intdiv.
From SparseNetworks Require Import definitions.
From SparseNetworks Require cube fourier average_sensitivity sparse_networks nonnegative pieces.
From SparseNetworks Require juntas suprema parity.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(* ==== Chapter 1 =========================================================== *)

Theorem fourier_expansion (R : realFieldType) (n : nat) (f : cube 'I_n -> R) :
  (forall x, f x = \sum_T fourier f T * character R T x) /\
  (forall c, (forall x, f x = \sum_T c T * character R T x) -> fourier f =1 c).
Proof. by split=> [x | c]; [apply: fourier.fourier_inversion | apply: fourier.fourier_unique]. Qed.

Theorem claim_2_1_parseval (R : realFieldType) (n : nat) (f : cube 'I_n -> R) :
  mean (fun x => f x ^+ 2) = \sum_T fourier f T ^+ 2.
Proof. exact: fourier.Parseval. Qed.

Theorem claim_2_1_noise (R : realFieldType) (n : nat) (f : cube 'I_n -> R) (rho : R) :
    -1 <= rho <= 1 ->
  noise_sensitivity rho f
  = \sum_(T : {set 'I_n}) (1 - rho ^+ #|T|) / 2%:R * fourier f T ^+ 2.
Proof. by move=> _; apply: fourier.noise_sensitivity_fourier. Qed.

Theorem claim_2_1_tail (R : realFieldType) (n d : nat) (f : cube 'I_n -> R) (rho : R) :
    0 <= rho < 1 -> (1 <= d)%N ->
  tail f d <= 2%:R * noise_sensitivity rho f / (1 - rho ^+ d).
Proof. by move=> range d_gt0; apply: fourier.tail_le_noise. Qed.

Theorem average_sensitivity_fourier (R : realFieldType) (n : nat) (f : cube 'I_n -> R) :
  average_sensitivity f = \sum_(T : {set 'I_n}) #|T|%:R * fourier f T ^+ 2.
Proof. exact: fourier.average_sensitivity_fourier. Qed.

Theorem junta_networks (R : rcfType) (n s p : nat) (P : {set 'I_n}) (f : cube 'I_n -> R) :
    (1 <= p)%N -> (2 ^ p <= s)%N -> (#|P| <= p)%N -> (forall x, `|f x| = 1) ->
    (forall x y : cube 'I_n, {in P, x =1 y} -> f x = f y) ->
  exists N : network R 'I_n 'I_s,
    [/\ value N =1 f, forall x, #|active N x| = 1%N & in_class 1 (Num.sqrt p%:R) p%:R N].
Proof. by move=> *; apply: (juntas.junta_networks (P := P)). Qed.

(* ==== Chapter 2 =========================================================== *)

Theorem lemma_9_decomposition (R : realFieldType) (n s k : nat) (W B : R)
    (N : network R 'I_n 'I_s) : (1 <= s)%N -> in_class k W B N ->
  forall x, let w := piece_weight N (active N x) in let b := piece_bias N (active N x) in
    [/\ value N x = \sum_i w i * coord R x i - b,
        sqnorm w <= (k%:R * W) ^+ 2 & `|b| <= k%:R * B].
Proof. exact: pieces.decomposition. Qed.

Theorem lemma_9_range (R : rcfType) (n s k : nat) (W B : R) (N : network R 'I_n 'I_s) :
    (1 <= s)%N -> in_class k W B N ->
  forall x, `|value N x| <= k%:R * W * Num.sqrt n%:R + k%:R * B.
Proof. exact: pieces.range. Qed.

Theorem eq_U (R : realFieldType) (n s k : nat) (W B : R) (N : network R 'I_n 'I_s) :
    in_class k W B N ->
  part_U N <= mean (fun x => sqnorm (piece_weight N (active N x)))
  /\ mean (fun x => sqnorm (piece_weight N (active N x))) <= k%:R ^+ 2 * W ^+ 2.
Proof. exact: pieces.part_U_bounds. Qed.

Theorem E12 (R : realFieldType) : exists N : network R 'I_1 'I_1,
  [/\ in_class 1 1 2%:R N, part_U N = 1 & ~ (part_U N <= 1%:R ^+ 2 * 1 ^+ 2 / 4%:R)].
Proof. exact: pieces.witness_E12. Qed.

Theorem E13 (R : realFieldType) :
  (forall (n : nat) (g : cube 'I_n -> bool),
     \sum_i probability R (fun x => g x != g (flip x i))
     = 4%:R * average_sensitivity (fun x => (g x)%:R))
  /\ exists g : cube 'I_1 -> bool,
     \sum_i probability R (fun x => g x != g (flip x i))
     <> average_sensitivity (fun x => (g x)%:R).
Proof. by split=> [n g|]; [apply: pieces.flips_of_indicator | apply: pieces.witness_E13]. Qed.

Theorem lemma_9_jump (R : realFieldType) (n s : nat) (N : network R 'I_n 'I_s) :
  average_sensitivity (value N) = part_U N + part_V N
  /\ part_V N <= mean (fun x => \sum_(i | active N (flip x i) != active N x) value N x ^+ 2).
Proof. by split; [apply: pieces.average_sensitivity_parts | apply: pieces.part_V_le_values]. Qed.

Theorem lemma_9_boundary (R : realFieldType) (n s : nat) (N : network R 'I_n 'I_s) :
  \sum_i probability R (fun x => active N (flip x i) != active N x)
  <= 4%:R * \sum_j average_sensitivity (fun x => (j \in active N x)%:R : R).
Proof. exact: pieces.active_set_changes. Qed.

Theorem lemma_9_budget (R : realFieldType) (n s k : nat) (N : network R 'I_n 'I_s) :
  sparse k N -> \sum_j probability R (fun x => j \in active N x) <= k%:R.
Proof. exact: pieces.activation_budget. Qed.

Theorem ours_average_sensitivity (R : realFieldType) (n s k : nat) (W B : R)
    (N : network R 'I_n 'I_s) : in_class k W B N ->
  let AS := average_sensitivity (value N) in
  let weighted := mean (fun x =>
    #|active N x|%:R * \sum_(j in active N x) outer N j ^+ 2 * sqnorm (weight N j)) in
  let square := mean (fun x => #|active N x|%:R ^+ 2) in
  [/\ AS <= 4%:R * weighted,
      4%:R * weighted <= 4%:R * W ^+ 2 * square,
      4%:R * W ^+ 2 * square <= 4%:R * k%:R ^+ 2 * W ^+ 2
    & AS <= (minn (2 * k) s)%:R ^+ 2 * W ^+ 2].
Proof. exact: sparse_networks.average_sensitivity_chain. Qed.

Theorem ours_noise_sensitivity (R : realFieldType) (n s k : nat) (W B rho : R)
    (N : network R 'I_n 'I_s) : in_class k W B N -> -1 <= rho <= 1 ->
  let AS := average_sensitivity (value N) in
  noise_sensitivity rho (value N) <= (1 - rho) / 2%:R * AS
  /\ (1 - rho) / 2%:R * AS <= 2%:R * k%:R ^+ 2 * W ^+ 2 * (1 - rho).
Proof. exact: sparse_networks.noise_chain. Qed.

Theorem ours_tail_from_sensitivity (R : realFieldType) (n d : nat) (f : cube 'I_n -> R) :
  (forall rho, 0 <= rho < 1 ->
     tail f d <= 2%:R * noise_sensitivity rho f / (1 - rho ^+ d.+1))
  /\ tail f d <= average_sensitivity f / d.+1%:R.
Proof.
split=> [rho range|]; first exact: fourier.tail_le_noise.
exact: fourier.tail_le_average_sensitivity.
Qed.

Theorem ours_tail (R : realFieldType) (n s k d : nat) (W B : R) (N : network R 'I_n 'I_s) :
  in_class k W B N -> tail (value N) d <= 4%:R * k%:R ^+ 2 * W ^+ 2 / d.+1%:R.
Proof. by case=> sparseN scaleN; apply: sparse_networks.sparse_tail scaleN sparseN d. Qed.

Theorem ours_remark_11 (R : realFieldType) (n s k : nat) (W B : R) (N : network R 'I_n 'I_s) :
    scale_at_most W B N ->
  let AS := average_sensitivity (value N) in
  let square := mean (fun x => #|active N x|%:R ^+ 2) in
  let eta := probability R (fun x => k < #|active N x|)%N in
  [/\ AS <= 4%:R * W ^+ 2 * square,
      4%:R * W ^+ 2 * square <= 4%:R * W ^+ 2 * (k%:R ^+ 2 + eta * s%:R ^+ 2)
    & AS <= W ^+ 2 * Num.min (4%:R * k%:R ^+ 2 + 2%:R * eta * s%:R ^+ 2) (s%:R ^+ 2)].
Proof. exact: sparse_networks.remark_11. Qed.

(* ==== Chapter 3 =========================================================== *)

Theorem ours_junta_half_scale (R : rcfType) (n p : nat) (P : {set 'I_n}) (f : cube 'I_n -> R) :
    (1 <= p)%N -> #|P| = p -> (forall x, `|f x| = 1) ->
    (forall x y : cube 'I_n, {in P, x =1 y} -> f x = f y) ->
  exists N : network R 'I_n 'I_(2 ^ p),
    [/\ value N =1 f, forall x, #|active N x| = 1%N
      & in_class 1 (Num.sqrt p%:R / 2%:R) (`|p%:R - 2%:R| / 2%:R) N].
Proof. by move=> *; apply: (juntas.junta_half_scale (P := P)). Qed.

(* ==== Chapter 6 =========================================================== *)

Theorem ours_average_sensitivity_supremum (R : realFieldType) (n s k : nat) (W B : R) :
    (1 <= n)%N -> (1 <= k)%N -> (k <= s)%N -> 0 <= W -> 3%:R / 2%:R * W <= B ->
  let bound := (minn (2 * k) s)%:R ^+ 2 * W ^+ 2 in
  (forall N : network R 'I_n 'I_s, in_class k W B N -> average_sensitivity (value N) <= bound)
  /\ exists N : network R 'I_n 'I_s, in_class k W B N /\ average_sensitivity (value N) = bound.
Proof. exact: suprema.average_sensitivity_exact. Qed.

Theorem ours_tail_exact (R : rcfType) (n s k d : nat) (W B : R) :
    (d.+1 <= n)%N -> (2 ^ d.+1 * k <= s)%N -> 0 <= W -> W * `|d%:R - 1| / Num.sqrt d.+1%:R <= B ->
  let bound := 4%:R * k%:R ^+ 2 * W ^+ 2 / d.+1%:R in
  (forall N : network R 'I_n 'I_s, in_class k W B N -> tail (value N) d <= bound)
  /\ exists (N : network R 'I_n 'I_s) (S : {set 'I_n}),
     [/\ in_class k W B N, #|S| = d.+1, tail (value N) d = bound
       & forall x, value N x = 2%:R * (W / Num.sqrt d.+1%:R) * k%:R * character R S x].
Proof. exact: suprema.tail_exact. Qed.

Theorem ours_average_sensitivity_nonnegative (R : realFieldType) (n s k : nat) (W B : R)
    (N : network R 'I_n 'I_s) : scale_at_most W B N -> (forall j, 0 <= outer N j) ->
  (sparse k N -> average_sensitivity (value N) <= 2%:R * k%:R ^+ 2 * W ^+ 2)
  /\ (forall A : cube 'I_n -> {set 'I_s},
        let uz x j := outer N j * preactivation N j (coord R x) in
        (forall x, are_largest k (uz x) (A x)) ->
      average_sensitivity (fun x => \sum_(j in A x) uz x j) <= 2%:R * k%:R ^+ 2 * W ^+ 2).
Proof.
move=> scaleN u_ge0; split=> [sparseN | A uz].
  exact: nonnegative.average_sensitivity_nonnegative scaleN u_ge0 sparseN.
exact: nonnegative.average_sensitivity_top_sum scaleN A.
Qed.

Theorem ours_average_sensitivity_lipschitz (R : realFieldType) (n s k : nat) :
  (forall (N : network R 'I_n 'I_s) (phi : R -> R) (W B L : R),
     (forall y z, `|phi y - phi z| <= L * `|y - z|) -> (forall z, z <= 0 -> phi z = 0) ->
     in_class k W B N ->
   average_sensitivity (fun x => value_with phi N (coord R x)) <= 4%:R * k%:R ^+ 2 * L ^+ 2 * W ^+ 2)
  /\ (forall (N M : network R 'I_n 'I_s) (U w v Y Z : R),
     let z j x := preactivation N j (coord R x) in
     let y j x := preactivation M j (coord R x) in
     sparse k N -> [/\ 0 <= w, 0 <= v, 0 <= Y & 0 <= Z] ->
     (forall j, [/\ `|outer N j| <= U, sqnorm (weight N j) <= w ^+ 2
                  & sqnorm (weight M j) <= v ^+ 2]) ->
     (forall j x, `|y j x| <= Y /\ relu (z j x) <= Z) ->
   average_sensitivity (fun x => \sum_j outer N j * (relu (z j x) * y j x))
     <= 4%:R * k%:R ^+ 2 * U ^+ 2 * (Y * w + Z * v) ^+ 2).
Proof.
split=> [N phi W B L phiL phi0 [sparseN scaleN] | N M U w v Y Z z y sparseN [w0 v0 Y0 Z0] bounds le].
  exact: sparse_networks.average_sensitivity_Lipschitz phiL phi0 sparseN scaleN.
apply: sparse_networks.average_sensitivity_gated => // [j|j|j|j x|j x];
  [by case: (bounds j) | by case: (bounds j) | by case: (bounds j) | exact: (le j x).1 | exact: (le j x).2].
Qed.
