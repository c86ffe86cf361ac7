#!/usr/bin/env bash
# Every trace and node count of the corpus against the reasoners, a minute each; outside CI, for it
# takes hours on one core. What it prints is kept in benches/results/agreement.md.
#   benches/agreement.sh [SECONDS] [GAME…]
# INERTIA names the program (target/release/inertia if not given), INERTIA_CORPUS the corpus.
set -uo pipefail
cd "$(dirname "$0")/.."
inertia=${INERTIA:-target/release/inertia}
corpus=${INERTIA_CORPUS:-../shared/corpus}
seconds=${1:-60}
shift || true
games=("$@")
[ ${#games[@]} -gt 0 ] || mapfile -t games < <(ls "$corpus/games" | sed 's/\.kif$//')

# How the replay of a trace ended.
replayed() {
    timeout "$seconds" "$inertia" replay "$file" "$corpus/traces/$game.json" "$@" >/dev/null 2>&1
    case $? in
    0) echo agrees ;;
    1) echo DIFFERS ;;
    3) echo "too large" ;;
    124) echo "over $seconds s" ;;
    *) echo "fails ($?)" ;;
    esac
}

# How many node counts the dataflow has right, and how many there are.
counted() {
    local wanted depth found
    wanted=$(grep "^$game," "$corpus/perft.csv" | cut -d, -f2- | sort -n)
    depth=$(tail -n1 <<<"$wanted" | cut -d, -f1)
    found=$(timeout $((seconds + 30)) "$inertia" perft "$file" --depth "$depth" --engine dataflow \
        --frame original --seconds "$seconds" --json 2>/dev/null |
        grep -o '"depth":[0-9]*,"nodes":[0-9]*,"terminals":[0-9]*' | sed 's/"[a-z]*"://g')
    [ -z "$found" ] && echo "0 of $((depth + 1))" && return
    wrong=$(grep -vxF "$wanted" <<<"$found" | grep -c .)
    echo "$(($(grep -c . <<<"$found") - wrong)) of $((depth + 1))$([ "$wrong" = 0 ] || echo ", $wrong WRONG")"
}

echo "| game | reference | dataflow, original | dataflow, direct | network, generic | network, direct | node counts of the dataflow |"
echo "|---|---|---|---|---|---|---|"
for game in "${games[@]}"; do
    file=$corpus/games/$game.kif
    echo "| $game | $(replayed --engine reference --frame original)" \
        "| $(replayed --engine dataflow --frame original)" \
        "| $(replayed --engine dataflow --frame direct)" \
        "| $(replayed --engine network --frame generic)" \
        "| $(replayed --engine network --frame direct) | $(counted) |"
done
