(* Invariant nulls.

   The noise is a vector of symbols. A null that does not change when
   coordinates are permuted and symbols relabelled by Signs makes all lists of
   reads alike, as long as none of them reads a coordinate twice. *)
From mathcomp Require Import all_ssreflect all_fingroup all_algebra.
From futurerand Require Import framework.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory.
Local Open Scope ring_scope.

(* A list without repetitions maps to any other of its size by a permutation. *)
Lemma perm_extend (I : finType) (l l' : seq I) :
  uniq l -> uniq l' -> size l = size l' -> exists s : {perm I}, map s l = l'.
Proof.
move=> ul ul' sz.
pose e (k : seq I) := k ++ [seq i <- enum I | i \notin k].
have ue k : uniq k -> uniq (e k).
  move=> uk; rewrite cat_uniq uk filter_uniq ?enum_uniq // andbT.
  by apply/hasPn => i; rewrite mem_filter => /andP[].
have me k i : i \in e k by rewrite mem_cat mem_filter mem_enum andbT orbN.
have se k : uniq k -> size (e k) = #|I|.
  move=> uk; rewrite -(card_uniqP (ue k uk)); apply: eq_card => i.
  by rewrite me.
have [i0|noI] := pickP (mem I); last first.
  exists 1%g; case: l sz {ul} => [|i l]; last by have := noI i.
  by move/esym/eqP/nilP => ->.
pose f i := nth i0 (e l') (index i (e l)).
have finj : injective f.
  move=> i j /eqP; rewrite nth_uniq ?ue ?se // -?(se l ul) ?index_mem ?me //.
  by move/eqP/(congr1 (nth i0 (e l))); rewrite !nth_index ?me.
exists (perm finj); apply: (@eq_from_nth _ i0); rewrite size_map // => t tl.
rewrite (nth_map i0) // permE /f index_cat mem_nth // index_uniq //.
by rewrite nth_cat -sz tl.
Qed.

Section Invariant.
Variable R : realFieldType.
Variables (I A : finType).             (* coordinates, symbols *)
Variable Signs : {group {perm A}}.     (* the relabellings a device may apply *)
Notation noise := {ffun I -> A}.

(* A read is a coordinate and a relabelling of what is found there. *)
Definition read := (I * {perm A})%type.
Definition eval_read (r : read) (b : noise) : A := r.2 (b r.1).
Definition once (rs : seq read) :=
  uniq (map fst rs) && all (fun r => r.2 \in Signs) rs.

(* Permute the coordinates by s, then relabel coordinate i by g i. *)
Definition act (s : {perm I}) (g : I -> {perm A}) (b : noise) : noise :=
  [ffun i => g i (b (s i))].

Lemma act_bij s g : bijective (act s g).
Proof.
apply: injF_bij => b c /ffunP E; apply/ffunP => i.
by have := E ((s^-1)%g i); rewrite !ffunE permKV => /perm_inj.
Qed.

Variable null : noise -> R.
Hypothesis invariant : forall s g b, (forall i, g i \in Signs) ->
  null (act s g b) = null b.

(* The relabelling that a list of reads applies at coordinate i. *)
Let sign_at (l : seq read) i := nth 1%g (map snd l) (index i (map fst l)).

Let sign_at_in l i : all (fun r => r.2 \in Signs) l -> sign_at l i \in Signs.
Proof.
move=> al; rewrite /sign_at; case: (ltnP (index i (map fst l)) (size l)) => lt.
  by rewrite (nth_map (i, 1%g)) //; apply: (allP al); rewrite mem_nth.
by rewrite nth_default ?group1 // size_map.
Qed.

Let sign_at_nth r l t : uniq (map fst l) -> (t < size l)%N ->
  sign_at l (nth r l t).1 = (nth r l t).2.
Proof.
move=> ul tl; rewrite /sign_at -[X in index X](nth_map r r.1 fst) //.
by rewrite index_uniq ?size_map // (nth_map r).
Qed.

Lemma invariant_alike rs rs' w : once rs -> once rs' -> size rs = size rs' ->
  pr null (matches eval_read rs w) = pr null (matches eval_read rs' w).
Proof.
move=> /andP[u a] /andP[u' a'] sz.
have [] := perm_extend u u'; first by rewrite !size_map.
move=> s Es; pose g i := (sign_at rs' (s i) * (sign_at rs i)^-1)%g.
have gin i : g i \in Signs by rewrite groupM ?groupV ?sign_at_in.
rewrite /pr (reindex (act s g)) /=; last exact: onW_bij (act_bij _ _).
apply: eq_big => [b|b _]; last exact: invariant.
rewrite /matches; congr (_ == w).
case E: rs => [|r rs1]; first by move: sz; rewrite E => /esym/size0nil ->.
rewrite -E {E rs1}.
apply: (@eq_from_nth _ (b r.1)); rewrite !size_map // => t tl.
have tl' : (t < size rs')%N by rewrite -sz.
rewrite !(nth_map r) // /eval_read ffunE.
have Est : s (nth r rs t).1 = (nth r rs' t).1.
  have := congr1 (fun k => nth r.1 k t) Es.
  by rewrite !(nth_map r.1) ?size_map // !(nth_map r).
by rewrite /g Est permM !sign_at_nth // permKV.
Qed.
End Invariant.
