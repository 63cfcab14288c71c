(* The samplers of the paper's laws, and what they draw.

   They draw fair signs, a uniform vector of a region by rejection, or a weighted
   count and then a uniform set (floyd.v). *)
From mathcomp Require Import all_ssreflect all_algebra.
From futurerand Require Import product symbol symmetric annulus two_sided sampler floyd.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(* ---- rejection --------------------------------------------------------------- *)
(* Draws are repeated until one lies in the region. *)
Section Rejection.
Variables (noise : finType) (null : noise -> rat) (region : pred noise).
Hypothesis null_sum1 : \sum_b null b = 1.
Definition region_share : rat := \sum_(b | region b) null b.
Hypothesis share_gt0 : 0 < region_share.

(* The null given the region. *)
Definition given_region b : rat := if region b then null b / region_share else 0.
(* The probability that b is kept after exactly i failed tries, or after fewer than n. *)
Definition kept_after i b : rat :=
  if region b then (1 - region_share) ^+ i * null b else 0.
Definition kept_within n b : rat := \sum_(i < n) kept_after i b.

(* Whatever the number of tries, what is kept is drawn given the region. It is
   missing only with the probability that all n tries fail. *)
Theorem rejection n b : kept_within n b = (1 - (1 - region_share) ^+ n) * given_region b.
Proof.
rewrite /kept_within /kept_after /given_region; case: ifP => rb; last first.
  by rewrite big1 // mulr0.
rewrite -mulr_suml; have s0 : region_share != 0 by rewrite gt_eqF.
have -> : \sum_(i < n) (1 - region_share) ^+ i = (1 - (1 - region_share) ^+ n) / region_share.
  have E := subrX1 (1 - region_share) n.
  have F : 1 - region_share - 1 = - region_share by rewrite addrAC subrr add0r.
  rewrite F mulNr in E; apply: (mulfI s0); rewrite mulrCA divff // mulr1.
  by rewrite -[RHS]opprB E opprK.
by rewrite mulrAC mulrA.
Qed.

Lemma given_region_sum1 : \sum_b given_region b = 1.
Proof. by rewrite -big_mkcond -mulr_suml divff // gt_eqF. Qed.
End Rejection.

(* A uniform integer below a bound, from words below V that are drawn again. *)
Lemma below_bound (V bound : nat) (v : 'I_V) : (0 < bound <= V)%N -> (v < bound)%N ->
  given_region (fun _ : 'I_V => V%:R^-1) (fun v => (v < bound)%N) v = bound%:R^-1.
Proof.
case/andP=> b0 bV vb; rewrite /given_region vb /region_share sumr_const below //.
have V0 : V%:R != 0 :> rat by rewrite pnatr_eq0 -lt0n (leq_trans b0).
by rewrite -[_ *+ bound]mulr_natr invfM mulrA divff ?invr_eq0 ?mul1r // invrK.
Qed.

(* ---- weighted choice ------------------------------------------------------------ *)
(* An integer below the sum of the weights picks the first part that it falls into:
   a view, or a number of minus signs. *)
Fixpoint lookup (v : nat) (ws : seq nat) : nat :=
  if ws is w :: ws' then if (v < w)%N then 0%N else (lookup (v - w) ws').+1 else 0%N.

Lemma lookup_count ws i : (i < size ws)%N ->
  count (fun v => lookup v ws == i) (iota 0 (sumn ws)) = nth 0%N ws i.
Proof.
elim: ws i => //= w ws IH i iw.
rewrite iotaD count_cat add0n -[X in iota X (sumn ws)](addn0 w) iotaDl count_map.
have low : count (fun v => lookup v (w :: ws) == i) (iota 0 w) = if i == 0%N then w else 0%N.
  rewrite (eq_in_count (a2 := fun=> i == 0%N)) => [|v]; last first.
    by rewrite mem_iota add0n /= => ->; rewrite eq_sym.
  by case: (i == 0%N); rewrite ?count_predT ?count_pred0 ?size_iota.
have high : count (preim (addn w) (fun v => lookup v (w :: ws) == i)) (iota 0 (sumn ws))
    = if i is i'.+1 then nth 0%N ws i' else 0%N.
  case: i iw {low} => [|i] iw.
    by rewrite (eq_count (a2 := pred0)) ?count_pred0 // => v /=; rewrite ltnNge leq_addr.
  rewrite -IH //; apply: eq_count => v /=.
  by rewrite ltnNge leq_addr /= addKn.
by rewrite low high; case: i {iw low high} => [|i] /=; rewrite ?addn0 ?add0n.
Qed.

(* ---- sets and vectors of signs --------------------------------------------------- *)
Section Signs.
Variable k : nat.
Notation noise := {ffun 'I_k -> symbol}.
Notation null := (@independent _ _ fair [finType of 'I_k]).
Definition signs_of (S : {set 'I_k}) : noise := [ffun j => if j \in S then minus else plus].
Definition minus_set (b : noise) : {set 'I_k} := [set j | b j == minus].
Definition no_zero (b : noise) : bool := [forall j, b j != zero].

Lemma signs_ofK : cancel signs_of minus_set.
Proof. by move=> S; apply/setP => j; rewrite inE ffunE; case: (j \in S). Qed.
Lemma minus_setK b : no_zero b -> signs_of (minus_set b) = b.
Proof.
move/forallP=> nz; apply/ffunP => j; rewrite ffunE inE; have := nz j.
by case: (b j) => [[]|].
Qed.

Lemma null_signs S : null (signs_of S) = (2 ^ k)%:R^-1.
Proof.
rewrite /independent (eq_bigr (fun=> 2%:R^-1)) => [|j _].
  by rewrite prodr_const card_ord natrX exprVn.
by rewrite ffunE /null_law; case: (j \in S); rewrite /= div1r.
Qed.

Lemma null_zero b : ~~ no_zero b -> null b = 0.
Proof.
rewrite negb_forall => /existsP[j]; rewrite negbK => /eqP bj.
by rewrite /independent (bigD1 j) //= bj /null_law !mul0r.
Qed.

Lemma minus_count_signs S : minus_count (signs_of S) = #|S|.
Proof.
rewrite /minus_count -sum1_card [RHS]big_mkcond; apply: eq_bigr => j _.
by rewrite ffunE; case: (j \in S).
Qed.

(* How many sets have a number of minus signs in C. *)
Definition num_vectors (C : pred nat) : nat := #|[set S : {set 'I_k} | C #|S|]|.
Notation in_region C := (fun b : noise => C (minus_count b)).

Lemma region_shareE C : region_share null (in_region C) = (num_vectors C)%:R / (2 ^ k)%:R.
Proof.
rewrite /region_share (bigID no_zero) /= [X in _ + X]big1 ?addr0; last first.
  by move=> b /andP[_ /null_zero].
rewrite (reindex_onto signs_of minus_set) /= => [|b /andP[_ /minus_setK]] //.
rewrite (eq_bigr (fun=> (2 ^ k)%:R^-1)) => [|S _]; last exact: null_signs.
rewrite sumr_const -[_ *+ _]mulr_natl; congr (_%:R * _); apply: eq_card => S.
rewrite [LHS]unfold_in /= inE minus_count_signs signs_ofK eqxx andbT.
rewrite andb_idr // => _; apply/forallP => j; rewrite ffunE.
by case: (j \in S).
Qed.

(* The number of sets by their size, which the weights add up. *)
Lemma num_vectorsE C : num_vectors C = (\sum_(c < k.+1 | C c) 'C(k, c))%N.
Proof.
rewrite /num_vectors -sum1_card (partition_big (fun S : {set 'I_k} => inord #|S| : 'I_k.+1) (fun c => C c)) /=; last first.
  by move=> S; rewrite inE inordK // ltnS -[X in (_ <= X)%N]card_ord max_card.
apply: eq_bigr => c Cc.
have draws (e : nat) : #|[set S : {set 'I_k} | #|S| == e]| = 'C(k, e) by rewrite card_draws card_ord.
rewrite sum1_card -draws; apply: eq_card => S; rewrite !inE unfold_in /= inE.
have sk : (#|S| < k.+1)%N by rewrite ltnS -[X in (_ <= X)%N]card_ord max_card.
by rewrite -val_eqE /= inordK //; case: eqP => [->|]; rewrite ?Cc ?andbT ?andbF.
Qed.

(* First a number of minus signs by these weights, then a uniform set of that size. *)
Definition drawn_by_count (C : pred nat) (S : {set 'I_k}) : rat :=
  \sum_(c < k.+1 | C c) ('C(k, c)%:R / (num_vectors C)%:R) * floyd c c S.

Theorem drawn_by_countE C S : (0 < num_vectors C)%N ->
  drawn_by_count C S = given_region null (in_region C) (signs_of S).
Proof.
move=> n0; have N0 : (num_vectors C)%:R != 0 :> rat by rewrite pnatr_eq0 -lt0n.
have P0 : (2 ^ k)%:R != 0 :> rat by rewrite pnatr_eq0 -lt0n expn_gt0.
rewrite /given_region minus_count_signs region_shareE null_signs invf_div mulrA mulVf // mul1r.
have Sk : (#|S| < k.+1)%N by rewrite ltnS -[X in (_ <= X)%N]card_ord max_card.
rewrite /drawn_by_count big_mkcond (bigD1 (Ordinal Sk)) //= big1 ?addr0 => [|c ne].
  case: (C #|S|) => //; rewrite floyd_uniform // eqxx mulrAC divff ?mul1r //.
  by rewrite pnatr_eq0 -lt0n bin_gt0.
case: ifP => // _; rewrite floyd_uniform ?leq_ord // ifF ?mulr0 //.
by apply: contraNF ne => /eqP E; rewrite -val_eqE /= E.
Qed.
End Signs.

(* ---- a side first, then the null given that side ---------------------------------- *)
(* So the sparse and the threshold laws are drawn. The side is by a comparison with T
   (sampler.v), the rest by rejection or by count. *)
Theorem side_first (noise : finType) (null : noise -> rat) (high : pred noise) T W b :
  \sum_b null b = 1 ->
  (if high b then T%:R / W%:R * given_region null high b
   else (W - T)%:R / W%:R * given_region null (predC high) b)
  = two_sided null high T W b.
Proof.
move=> null1; rewrite /two_sided /side_likelihood /given_region /=.
case hb: (high b); rewrite /= ?hb /=; first by rewrite mulrA mulrAC.
have -> : region_share null (predC high) = 1 - high_share null high.
  by rewrite -(low_share null1); apply: eq_bigl.
by rewrite mulrA mulrAC.
Qed.

(* ---- one sign replaced -------------------------------------------------------------- *)
Section SingleSampler.
Variables (k flip W : nat).
Notation noise := {ffun 'I_k -> symbol}.
Notation null := (@independent _ _ fair [finType of 'I_k]).

(* All signs are fair; then a uniform one is replaced by a flipped sign. *)
Definition single_drawn (b : noise) : rat :=
  k%:R^-1 * \sum_j \sum_(b' : noise | [forall i, (i != j) ==> (b' i == b i)])
    null b' * flipped flip W (b j).

Lemma others_agree (b : noise) j :
  \sum_(b' : noise | [forall i, (i != j) ==> (b' i == b i)]) null b'
    = \prod_(i | i != j) fair (b i).
Proof.
pose G (i : 'I_k) a : rat := if i == j then fair a else if a == b i then fair a else 0.
rewrite big_mkcond (eq_bigr (fun b' : noise => \prod_i G i (b' i))) => [|b' _]; last first.
  case: ifP => [/forallP agree|/negbT].
    apply: eq_bigr => i _; rewrite /G; case: eqP => // /eqP ij.
    by have := agree i; rewrite ij => /= ->.
  rewrite negb_forall => /existsP[i]; rewrite negb_imply => /andP[ij ne].
  by rewrite (bigD1 i) //= /G (negbTE ij) (negbTE ne) mul0r.
rewrite -(bigA_distr_bigA G) (bigD1 j) //= {1}/G eqxx fair_sum1 mul1r.
apply: eq_bigr => i /negbTE ij; rewrite /G ij -big_mkcond /=.
by rewrite big_pred1_eq.
Qed.

Theorem single_drawnE b : single_drawn b = single_law flip W b.
Proof.
rewrite /single_drawn /single_law; congr (_ * _); apply: eq_bigr => j _.
by rewrite -mulr_suml others_agree mulrC.
Qed.
End SingleSampler.

(* ---- the annulus: a product draw, replaced outside ----------------------------------- *)
Section AnnulusSampler.
Variables (k flip W first last : nat).
Hypotheses (flip_gt0 : (0 < flip)%N) (flip_le : (flip <= W - flip)%N).
Notation noise := {ffun 'I_k -> symbol}.
Notation null := (@independent _ _ fair [finType of 'I_k]).
Notation outside_of := (fun b : noise => ~~ annulus.kept first last b).

Definition annulus_drawn (b : noise) : rat :=
  (if annulus.kept first last b then product_law flip W b else 0)
  + (\sum_(b' | outside_of b') product_law flip W b') * given_region null outside_of b.

Theorem annulus_drawnE b : annulus_drawn b = annulus_law flip W first last b.
Proof.
have rest (F : noise -> rat) : \sum_b F b = 1 ->
    \sum_(b | outside_of b) F b = 1 - \sum_(b | annulus.kept first last b) F b.
  by move=> <-; rewrite [X in X - _](bigID (annulus.kept first last)) /= addrAC subrr add0r.
rewrite /annulus_drawn /annulus_law /given_region; case: ifP => kb.
  by rewrite mulr0 addr0.
rewrite add0r /outside /mass_kept /share_kept rest; last exact: product_sum1.
rewrite /region_share rest; last exact: (independent_sum1 fair_sum1).
by rewrite mulrA mulrAC.
Qed.
End AnnulusSampler.

(* ---- a comparison bit by bit ----------------------------------------------------------- *)
(* Bits come from the top. The first that differs from the threshold decides; if none
   does, the word is not below it. *)
Fixpoint less (threshold word : seq bool) : bool :=
  match threshold, word with
  | t :: ts, u :: us => if t == u then less ts us else t
  | _, _ => false
  end.
Fixpoint number (bits : seq bool) : nat :=
  if bits is b :: bits' then (b * 2 ^ size bits' + number bits')%N else 0%N.

Lemma number_lt bits : (number bits < 2 ^ size bits)%N.
Proof.
elim: bits => //= b bits IH; rewrite expnS mul2n -addnn.
case: b; first by rewrite mul1n ltn_add2l.
by rewrite mul0n add0n ltn_addl.
Qed.

Theorem less_below threshold word : size threshold = size word ->
  less threshold word = (number word < number threshold)%N.
Proof.
elim: threshold word => [|t ts IH] [|u us] //= [E].
case: t; case: u => /=; rewrite ?mul1n ?mul0n ?add0n.
- by rewrite E ltn_add2l IH.
- by rewrite (leq_trans (number_lt us)) // E leq_addr.
- by rewrite ltnNge ltnW // (leq_trans (number_lt ts)) // E leq_addr.
- exact: IH.
Qed.
