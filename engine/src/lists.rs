//! Many lists of numbers in one vector, and the strongly connected components of the graph that
//! such lists describe.

/// Lists of numbers, one behind the other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Lists {
    /// Where each list ends; it begins where the one before ends.
    ends: Vec<u32>,
    items: Vec<u32>,
}

impl Lists {
    /// The second numbers of pairs, listed by the first, which are below `count`; within a list
    /// they keep the order of the pairs. The pairs are gone through twice.
    pub(crate) fn group<I>(count: usize, pairs: I) -> Lists
    where
        I: Iterator<Item = (u32, u32)> + Clone,
    {
        let mut ends = vec![0; count];
        pairs.clone().for_each(|(list, _)| ends[list as usize] += 1);
        let mut total = 0;
        for end in &mut ends {
            // For now each list's end is its start; filling the list moves it on.
            let length = std::mem::replace(end, total);
            total += length;
        }
        let mut items = vec![0; total as usize];
        for (list, item) in pairs {
            let end = &mut ends[list as usize];
            items[*end as usize] = item;
            *end += 1;
        }
        Lists { ends, items }
    }

    /// How many lists there are.
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// How many items all lists hold together.
    pub(crate) fn items(&self) -> usize {
        self.items.len()
    }

    /// One of the lists.
    pub(crate) fn get(&self, list: u32) -> &[u32] {
        let list = list as usize;
        let start = if list == 0 { 0 } else { self.ends[list - 1] };
        &self.items[start as usize..self.ends[list] as usize]
    }

    /// Adds a list.
    pub(crate) fn push(&mut self, items: impl IntoIterator<Item = u32>) {
        self.items.extend(items);
        self.ends.push(self.items.len() as u32);
    }
}

/// A vertex that has not been met.
const NEW: u32 = u32::MAX;
/// The rank of a vertex whose component is known: no path back leads there.
const DONE: u32 = u32::MAX - 1;

/// Tarjan's algorithm without recursion. Gives the strongly connected components of what can be
/// reached from the roots, each behind all to which it has edges; earlier roots come first.
pub(crate) fn components<'g>(
    vertices: usize,
    roots: impl IntoIterator<Item = u32>,
    edges: impl Fn(u32) -> &'g [u32],
    target: impl Fn(u32) -> Option<u32>,
) -> Lists {
    let mut rank = vec![NEW; vertices];
    let mut found = Lists::default();
    let mut open: Vec<u32> = Vec::new();
    // A vertex, how many of its edges have been followed, and the lowest rank reached from it.
    let mut path: Vec<(u32, u32, u32)> = Vec::new();
    let mut next = 0;
    for root in roots {
        if rank[root as usize] != NEW {
            continue;
        }
        path.push((root, 0, next));
        while let Some((vertex, followed, low)) = path.last_mut() {
            if *followed == 0 && rank[*vertex as usize] == NEW {
                rank[*vertex as usize] = next;
                next += 1;
                open.push(*vertex);
            }
            if let Some(&edge) = edges(*vertex).get(*followed as usize) {
                *followed += 1;
                let Some(to) = target(edge) else { continue };
                match rank[to as usize] {
                    NEW => path.push((to, 0, next)),
                    DONE => {}
                    known => *low = known.min(*low),
                }
                continue;
            }
            let (vertex, low) = (*vertex, *low);
            path.pop();
            if low == rank[vertex as usize] {
                let start = open.iter().rposition(|&other| other == vertex).unwrap_or(0);
                open[start..].iter().for_each(|&member| rank[member as usize] = DONE);
                found.push(open.drain(start..));
            } else if let Some((_, _, above)) = path.last_mut() {
                *above = low.min(*above);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grouping_keeps_the_order() {
        let lists = Lists::group(3, [(2, 7), (0, 5), (2, 6)].into_iter());
        assert_eq!(lists.get(0), [5]);
        assert!(lists.get(1).is_empty());
        assert_eq!(lists.get(2), [7, 6]);
    }

    #[test]
    fn components_come_behind_what_they_lead_to() {
        let pairs = [(0, 1), (1, 2), (2, 1), (2, 3), (4, 0), (5, 5)];
        let edges = Lists::group(6, pairs.into_iter());
        let found = components(6, [0, 4], |vertex| edges.get(vertex), Some);
        let found: Vec<Vec<u32>> =
            (0..found.len() as u32).map(|at| found.get(at).to_vec()).collect();
        assert_eq!(found, [vec![3], vec![1, 2], vec![0], vec![4]]);
    }
}
