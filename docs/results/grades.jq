# What docs/results keeps of grades, of a card or of `./lab grade all --json`:
#   jq -s -f docs/results/grades.jq results/gpu/items/solution-*.json
# A line for each goal, and for a sweep its point at the ridge, beside the lower of the two roofs there.
[.[] | (.results? // [.])[] | . as $grade
  | [ .measurements[] | {id, roof: .roof.name, unit: .roof.unit, roof_value: .roof.value, achieved, fraction,
                         median_us: .time_us.median, n: .time_us.n} ]
    + [ .checks[] | .detail.sweep? // empty | .ridge_flop_per_byte as $ridge | .id as $id | .memory_roof as $memory
        | .compute_roof as $compute | (.points | min_by((.flop_per_byte / $ridge | log) | fabs))
        | (.flop_per_byte < $ridge) as $below | (if $below then $memory else $compute end) as $roof
        | {id: "\($id)-knee", roof: $roof.name, unit: $roof.unit, roof_value: $roof.value,
           achieved: (if $below then .gb_per_s else .tflop_per_s end), fraction,
           median_us: .time_us.median, n: .time_us.n} ]
  | .[] | {part: $grade.part} + . + {verdict: $grade.verdict, class: $grade.class, medal: $grade.medal}]
| {context: {}, grades: sort_by(.part)}
