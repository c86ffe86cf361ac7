#!/usr/bin/env bash
# The long runs of the player, outside CI. Results are kept in benches/results/player.md.
#   benches/soak.sh deadlines [ROUNDS]   1-second clock, six games, two of them too large to ground
#   benches/soak.sh strength [ROUNDS]    mcts against random, and against minimax at tic-tac-toe
# INERTIA names the program (target/release/inertia if not given), PLAY the play clock of `strength`,
# SEED the seed of the first match.
set -euo pipefail
cd "$(dirname "$0")/.."
inertia=${INERTIA:-target/release/inertia}
seed=${SEED:-1}
large=$(mktemp -d)
trap 'rm -rf "$large"' EXIT

# A hunt on a field of SIZE squares in each of the directions given by the axes.
hunt() {
    local size=$1 here="" there="" axes="$2" name=$3 start prey
    for axis in $axes; do here+=" ?$axis"; done
    start=$(for _ in $axes; do printf ' %s' $((size / 2)); done)
    prey=$(for _ in $axes; do printf ' %s' $((size / 2 + 2)); done)
    {
        echo "(role hunter) (role prey) (init (time 0))"
        echo "(init (at hunter$start)) (init (at prey$prey))"
        for ((n = 1; n < size; n++)); do echo "(succ $n $((n + 1)))"; done
        for ((n = 0; n < 12; n++)); do echo "(count $n $((n + 1)))"; done
        echo "(<= (step ?a ?b) (succ ?a ?b)) (<= (step ?a ?b) (succ ?b ?a))"
        for axis in $axes; do
            there=${here/ ?$axis/ ?new}
            echo "(<= (legal ?r (go$there)) (true (at ?r$here)) (step ?$axis ?new))"
        done
        echo "(<= (legal ?r stay) (role ?r))"
        echo "(<= (next (at ?r$here)) (does ?r (go$here)))"
        echo "(<= (next (at ?r$here)) (does ?r stay) (true (at ?r$here)))"
        echo "(<= (next (time ?m)) (true (time ?n)) (count ?n ?m))"
        echo "(<= caught (true (at hunter$here)) (true (at prey$here)))"
        echo "(<= terminal caught) (<= terminal (true (time 12)))"
        echo "(<= (goal hunter 100) caught) (<= (goal hunter 0) (not caught))"
        echo "(<= (goal prey 0) caught) (<= (goal prey 100) (not caught))"
    } >"$large/$name.kif"
}

case ${1:-} in
deadlines)
    hunt 3000 "x y" hunt-plane
    hunt 500 "x y z" hunt-space
    "$inertia" tournament games/tic-tac-toe.kif games/connect-four.kif games/breakthrough.kif \
        games/othello.kif "$large/hunt-plane.kif" "$large/hunt-space.kif" \
        --players mcts,random --rounds "${2:-17}" --start-clock 2 --play-clock 1 --seed "$seed"
    ;;
strength)
    "$inertia" tournament games/connect-four.kif games/breakthrough.kif games/othello.kif \
        --players mcts,random --rounds "${2:-50}" --start-clock 1 --play-clock "${PLAY:-1}" \
        --seed "$seed"
    "$inertia" tournament games/tic-tac-toe.kif \
        --players mcts,minimax --rounds "${2:-50}" --start-clock 1 --play-clock 1 --seed "$seed"
    ;;
*)
    sed -n '2,6s/^# //p' "$0"
    exit 2
    ;;
esac
