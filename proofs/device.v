(* The innovation device of core/randomizer/innovation_randomizer.hpp, as a model
   that runs. Privacy needs none of it: levels.v makes every device private. The
   model is there to be compared with the C++ (docs/proof.md). *)
From Coq Require Import ZArith List Bool.
Import ListNotations.
Local Open Scope Z_scope.

Section Device.
Variables (counts : list nat) (gaps : list Z).   (* of each level *)
Variable starts : nat.       (* how many start levels; none if everybody starts at 0 *)
Variable decisions : Z.      (* 2^31 *)

(* Change levels come first, then start levels, then the steady level. *)
Definition gap (l : nat) : Z := nth l gaps 0.
Definition steady : nat := pred (length gaps).
Definition changes : nat := (steady - starts)%nat.
Definition lags : nat := if Nat.eqb starts 0 then steady else starts.

(* G_m = C_m and G_j = min (C_j, 2 S_j - C_m, G_{j-1}). *)
Fixpoint least_gap (j : nat) : Z :=
  let own := match Nat.eqb changes 0, Nat.eqb starts 0 with
             | true, _ => 2 * gap (changes + j) - gap steady
             | false, true => gap j
             | false, false => Z.min (gap j) (2 * gap (changes + j) - gap steady)
             end in
  match j with
  | O => own
  | S j' => Z.min own (least_gap j')
  end.
Definition filter_gap (j : nat) : Z := if Nat.ltb j lags then least_gap j else gap steady.

(* V = (G_0 + G_m) y_t - sum over i of (G_{i-1} - G_i) y_{t-i}: twice the innovation.
   The values come latest first. *)
Definition y (values : list bool) (i : nat) : Z :=
  match nth_error values i with
  | Some true => 1
  | Some false => -1
  | None => if Nat.eqb starts 0 then -1 else 0
  end.
Definition innovation (values : list bool) : Z :=
  (filter_gap 0 + filter_gap lags) * y values 0
  - fold_right Z.add 0
      (map (fun i => (filter_gap (pred i) - filter_gap i) * y values i) (seq 1 lags)).

(* The levels with unused signs next to the target |V| / 2: the lowest that reaches it,
   of equal ones the latest, and the highest below it, of equal ones the earliest. *)
Definition is_left (used : list nat) (l : nat) : bool :=
  Nat.ltb (nth l used 0%nat) (nth l counts 0%nat).
Definition left (used : list nat) : list nat := filter (is_left used) (seq 0 (length gaps)).
Definition best (better : Z -> Z -> bool) (levels : list nat) : option nat :=
  fold_left (fun found l => match found with
                            | None => Some l
                            | Some f => if better (gap l) (gap f) then Some l else Some f
                            end) levels None.
Definition high (used : list nat) (size : Z) : option nat :=
  best Z.leb (filter (fun l => size <=? 2 * gap l) (left used)).
Definition low (used : list nat) (size : Z) : option nat :=
  best Z.gtb (filter (fun l => 2 * gap l <? size) (left used)).

(* How many decisions take the high level. They are the first ones. *)
Definition num_high (used : list nat) (values : list bool) : Z :=
  let size := Z.abs (innovation values) in
  match high used size with
  | None => 0
  | Some h =>
      let from := match low used size with Some l => gap l | None => 0 end in
      let span := 2 * (gap h - from) in
      ((size - 2 * from) * decisions + span - 1) / span
  end.

(* Which level is used under the decision v, and whether its sign is reversed. *)
Definition decide (used : list nat) (values : list bool) (v : Z) : option (nat * bool) :=
  let u := innovation values in
  let level := if v <? num_high used values then high used (Z.abs u) else low used (Z.abs u) in
  match level with
  | None => None
  | Some l => Some (l, u <? 0)
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
      let n := num_high used values in
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
