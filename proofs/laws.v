(* The integers of a law, as a plan carries them, and the law they stand for.

   Names are those of docs/notation.md. W stands for 2^64: a threshold T means
   the probability T / W. *)
From Coq Require Import NArith.
From mathcomp Require Import all_ssreflect all_fingroup all_algebra.
From futurerand Require Import binary product symbol score_table counting.
From futurerand Require Import two_sided symmetric annulus.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Inductive law_integers :=
  | Product (num_signs flip : N)
  | Single (num_signs flip : N)
  | Annulus (num_signs flip first_kept last_kept : N)
  | Threshold (num_signs tau low_side : N)
  | WeightedThreshold (levels : seq (N * N))     (* count and weight of each run *)
      (theta high_side nonzero : N).

(* The sparse law of `hybrid`: one run, and a score above tau. *)
Definition Sparse (num_signs nonzero tau high_side : N) :=
  WeightedThreshold [:: (num_signs, 1%num)] (N.add tau 1) high_side nonzero.

(* The runs of signs. Level l of a device is the l-th run. *)
Definition runs (l : law_integers) : seq (N * N) :=
  match l with
  | Product n _ | Single n _ | Annulus n _ _ _ | Threshold n _ _ => [:: (n, 1%num)]
  | WeightedThreshold levels _ _ _ => levels
  end.
Definition num_signs l := size (weights (runs l)).
Notation noise l := {ffun 'I_(num_signs l) -> symbol}.

(* Null weights of plus (or minus) and of zero. A symbol is not zero with
   probability nonzero / 2^16; then it is a fair sign. *)
Definition null_weights (nonzero : N) : N * N :=
  let s := N.div2 nonzero in
  let z := N.sub 65536 nonzero in
  let g := N.gcd s z in (N.div s g, N.div z g).
Definition nonzero (l : law_integers) : N :=
  if l is WeightedThreshold _ _ _ nonzero then nonzero else 65536%num.
Definition sign_weight l := (null_weights (nonzero l)).1.
Definition zero_weight l := (null_weights (nonzero l)).2.
Definition null_of (l : law_integers) : symbol -> rat :=
  null_law (nat_of_bin (sign_weight l)) (nat_of_bin (zero_weight l)).

(* The score: the sum of the weighted symbols. *)
Definition score (ws : seq nat) (b : {ffun 'I_(size ws) -> symbol}) : int :=
  \sum_(j < size ws) (nth 0%N ws j)%:Z * value (b j).
Arguments score : clear implicits.

Definition law_of (W : N) (l : law_integers) : noise l -> rat :=
  match l return noise l -> rat with
  | Product _ flip => @product_law _ (nat_of_bin flip) (nat_of_bin W)
  | Single _ flip => @single_law _ (nat_of_bin flip) (nat_of_bin W)
  | Annulus _ flip first last =>
      @annulus_law _ (nat_of_bin flip) (nat_of_bin W) (nat_of_bin first) (nat_of_bin last)
  | Threshold _ tau low_side =>
      two_sided (@independent _ _ fair _) (fun b => minus_count b <= nat_of_bin tau)%N
        (nat_of_bin low_side) (nat_of_bin W)
  | WeightedThreshold levels theta high_side nonzero =>
      two_sided (@independent _ _ (null_of (WeightedThreshold levels theta high_side nonzero)) _)
        (fun b => (nat_of_bin theta)%:Z <= score (weights levels) b)
        (nat_of_bin high_side) (nat_of_bin W)
  end.
