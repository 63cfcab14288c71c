(* The innovation device of core/randomizer/innovation_randomizer.hpp, as a model
   that runs. Privacy needs none of it: levels.v makes every device private. The
   model is there to be compared with the C++ (docs/proof.md). *)
From Coq Require Import ZArith List Bool.
Import ListNotations.
Local Open Scope Z_scope.

Section Device.
Variables (counts : list nat) (gaps : list Z).   (* of each level *)
Variable decisions : Z.                          (* 2^31 *)

Definition gap (l : nat) : Z := nth l gaps 0.
Definition steady : nat := pred (length gaps).
Definition in_stock (used : list nat) (l : nat) : bool :=
  Nat.ltb (nth l used 0%nat) (nth l counts 0%nat).

(* U = x_t (G_0 + G_m) - sum over j of (G_{j-1} - G_j) x_{t-j} - G_m. The values
   come latest first. *)
Definition innovation (values : list bool) : Z :=
  let held j := nth j values false in
  (if held 0%nat then gap 0 + gap steady else 0) - gap steady
  - fold_right Z.add 0 (map (fun j => if held j then gap (pred j) - gap j else 0)
                            (seq 1 steady)).

(* The lowest level still in stock with G_l >= |U|, or else the highest in stock. *)
Definition level_for (used : list nat) (size : Z) : option nat :=
  let stocked := filter (in_stock used) (seq 0 (length gaps)) in
  match rev (filter (fun l => size <=? gap l) stocked) with
  | l :: _ => Some l
  | [] => hd_error stocked
  end.

(* Which level is used under the decision v, and whether its sign is reversed. *)
Definition decide (used : list nat) (values : list bool) (v : Z) : option (nat * bool) :=
  let u := innovation values in
  match level_for used (Z.abs u) with
  | None => None
  | Some l => if (gap l =? Z.abs u) || (v * gap l / decisions <? Z.abs u)
              then Some (l, u <? 0) else None
  end.

(* How many decisions use the noise. They are the first ones. *)
Definition num_using (used : list nat) (values : list bool) : Z :=
  let size := Z.abs (innovation values) in
  match level_for used size with
  | None => 0
  | Some l => if gap l =? size then decisions
              else Z.min decisions ((size * decisions + gap l - 1) / gap l)
  end.

Definition spend (used : list nat) (l : nat) : list nat :=
  map (fun i => if Nat.eqb i l then S (nth i used 0%nat) else nth i used 0%nat)
      (seq 0 (length used)).
Definition position (used : list nat) (l : nat) : nat :=
  fold_right Nat.add (nth l used 0%nat) (firstn l counts).

(* All ways through the coming values, as (weight, reads). A read is a position of
   the noise and whether it is reversed, or nothing for a coin. *)
Fixpoint ways (used : list nat) (past coming : list bool) : list (Z * list (option (nat * bool))) :=
  match coming with
  | [] => [(1, [])]
  | x :: rest =>
      let values := x :: past in
      let n := num_using used values in
      let after (v weight : Z) :=
        if weight =? 0 then [] else
        let '(read, used') := match decide used values v with
                              | Some (l, r) => (Some (position used l, r), spend used l)
                              | None => (None, used)
                              end in
        map (fun way => (weight * fst way, read :: snd way)) (ways used' values rest) in
      after 0 n ++ after (decisions - 1) (decisions - n)
  end.

(* ---- the law, by enumeration --------------------------------------------------- *)
Variables (weights : list Z) (theta T W : Z).

Fixpoint vectors (n : nat) : list (list bool) :=   (* true is minus; sign 0 varies fastest *)
  match n with
  | O => [[]]
  | S n' => map (fun b => b ++ [false]) (vectors n') ++ map (fun b => b ++ [true]) (vectors n')
  end.
Definition signs_weights : list Z :=
  flat_map (fun l => repeat (nth l weights 0) (nth l counts 0%nat)) (seq 0 (length counts)).
Definition is_high (b : list bool) : bool :=
  theta <=? fold_right Z.add 0
    (map (fun p : bool * Z => if fst p then - snd p else snd p) (combine b signs_weights)).

Definition output_weights (input : list bool) : list Z :=
  let noise := vectors (length signs_weights) in
  let highs := Z.of_nat (length (filter is_high noise)) in
  let lows := Z.of_nat (length noise) - highs in
  let weighted := map (fun b => (b, if is_high b then T * lows else (W - T) * highs)) noise in
  let paths := ways (repeat 0%nat (length gaps)) [] input in
  map (fun output =>
    fold_right Z.add 0 (map (fun way =>
      let fits (b : list bool) := forallb (fun p : option (nat * bool) * bool =>
        match fst p with
        | None => true
        | Some (j, r) => Bool.eqb (xorb (nth j b false) r) (snd p)
        end) (combine (snd way) output) in
      let reads := length (filter (fun r => match r with Some _ => true | None => false end) (snd way)) in
      fst way * 2 ^ Z.of_nat reads *
      fold_right Z.add 0 (map snd (filter (fun p => fits (fst p)) weighted)))
      paths)) (vectors (length input)).
End Device.
