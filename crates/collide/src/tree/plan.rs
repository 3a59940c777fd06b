//! What a builder makes: which triangles lie together, whatever volumes are put around them.

/// A hierarchy over triangles. Nodes are in depth-first order: the first child of node `i` is
/// `i + 1`, each next one follows the subtree of the one before. A plan without triangles has no
/// nodes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// The nodes, parents before children.
    pub nodes: Vec<PlanNode>,
    /// The triangles, in the order of the leaves.
    pub items: Vec<u32>,
}

/// One node of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlanNode {
    /// Nodes of the subtree, this one included; 1 is a leaf.
    pub size: u32,
    /// The first of the items below it.
    pub first: u32,
    /// How many items are below it.
    pub count: u32,
}

impl Plan {
    /// The children of a node; a leaf has none.
    pub fn children(&self, node: usize) -> impl Iterator<Item = usize> {
        let end = node + self.nodes[node].size as usize;
        let mut next = node + 1;
        std::iter::from_fn(move || {
            let child = next;
            (child < end).then(|| {
                next += self.nodes[child].size as usize;
                child
            })
        })
    }

    /// The triangles below a node.
    pub fn triangles(&self, node: usize) -> &[u32] {
        let n = self.nodes[node];
        &self.items[n.first as usize..(n.first + n.count) as usize]
    }

    /// Pulls grandchildren up until nodes have `arity` children, the largest subtree first. A node
    /// that has more keeps them.
    #[must_use]
    pub fn collapse(&self, arity: usize) -> Self {
        if arity <= 2 {
            return self.clone();
        }
        self.rewritten(|plan, node| {
            let mut children: Vec<usize> = plan.children(node).collect();
            while let Some(largest) = (0..children.len())
                .filter(|k| plan.nodes[children[*k]].size > 1)
                .max_by_key(|k| (plan.nodes[children[*k]].count, std::cmp::Reverse(*k)))
            {
                let below: Vec<usize> = plan.children(children[largest]).collect();
                if children.len() - 1 + below.len() > arity {
                    break;
                }
                children.splice(largest..=largest, below);
            }
            children
        })
    }

    /// Makes one leaf of every subtree with at most `max` items.
    #[must_use]
    pub fn merge_leaves(&self, max: usize) -> Self {
        self.rewritten(|plan, node| {
            let small = plan.nodes[node].count as usize <= max;
            if small { Vec::new() } else { plan.children(node).collect() }
        })
    }

    /// A plan over the same items in which each node that is kept has the children it is told.
    fn rewritten(&self, children: impl Fn(&Self, usize) -> Vec<usize>) -> Self {
        let mut nodes: Vec<PlanNode> = Vec::with_capacity(self.nodes.len());
        // Depth first, with an end mark behind the children of each node.
        let mut stack: Vec<Result<usize, usize>> = Vec::new();
        stack.extend((!self.nodes.is_empty()).then_some(Ok(0)));
        while let Some(entry) = stack.pop() {
            match entry {
                Ok(old) => {
                    stack.push(Err(nodes.len()));
                    nodes.push(PlanNode { size: 1, ..self.nodes[old] });
                    stack.extend(children(self, old).into_iter().rev().map(Ok));
                }
                Err(new) => nodes[new].size = (nodes.len() - new) as u32,
            }
        }
        Self { nodes, items: self.items.clone() }
    }

    /// Number of levels.
    pub fn depth(&self) -> usize {
        self.depths().iter().max().map_or(0, |d| *d as usize + 1)
    }

    /// How far each node is below the root.
    pub(crate) fn depths(&self) -> Vec<u32> {
        let mut depths = vec![0; self.nodes.len()];
        for i in 0..self.nodes.len() {
            for child in self.children(i) {
                depths[child] = depths[i] + 1;
            }
        }
        depths
    }

    /// What is wrong with it, if anything: every triangle must be in one leaf, and children must
    /// share out what their parent holds, two at least.
    ///
    /// # Errors
    ///
    /// Says in words what does not fit, and at which node.
    pub fn validate(&self, triangles: usize) -> Result<(), String> {
        let mut sorted = self.items.clone();
        sorted.sort_unstable();
        if !sorted.iter().copied().eq(0..triangles as u32) {
            return Err(format!("the items are not the {triangles} triangles"));
        }
        let Some(root) = self.nodes.first() else {
            return if triangles == 0 { Ok(()) } else { Err("no root".into()) };
        };
        if (root.size as usize, root.first, root.count as usize)
            != (self.nodes.len(), 0, self.items.len())
        {
            return Err(format!("the root does not hold everything: {root:?}"));
        }
        for (i, node) in self.nodes.iter().enumerate() {
            if node.count == 0 || node.size == 0 {
                return Err(format!("node {i} is empty"));
            }
            let end = i + node.size as usize;
            let (mut at, mut children) = (node.first, 0);
            for child in self.children(i) {
                let below = self.nodes[child];
                if below.first != at || child + below.size as usize > end {
                    return Err(format!("child {child} of {i} is out of place"));
                }
                at += below.count;
                children += 1;
            }
            if children == 1 || (children > 1 && at != node.first + node.count) {
                return Err(format!("the children of {i} do not share out its items"));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A binary plan over `n` items, halved down to single ones.
    fn halves(n: u32) -> Plan {
        fn split(first: u32, count: u32, nodes: &mut Vec<PlanNode>) {
            let node = nodes.len();
            nodes.push(PlanNode { size: 1, first, count });
            if count > 1 {
                split(first, count / 2, nodes);
                split(first + count / 2, count - count / 2, nodes);
                nodes[node].size = (nodes.len() - node) as u32;
            }
        }
        let mut plan = Plan { nodes: Vec::new(), items: (0..n).collect() };
        if n > 0 {
            split(0, n, &mut plan.nodes);
        }
        plan
    }

    #[test]
    fn collapsed_and_merged_plans_still_hold_every_item_once() {
        for n in [0, 1, 2, 3, 7, 8, 9, 63, 64, 100] {
            let plan = halves(n);
            plan.validate(n as usize).unwrap();
            for arity in [2, 4, 8] {
                for leaf in [1, 3, 8, 1000] {
                    let new = plan.merge_leaves(leaf).collapse(arity);
                    new.validate(n as usize).unwrap();
                    for i in 0..new.nodes.len() {
                        assert!(new.children(i).count() <= arity);
                        let small = new.nodes[i].count as usize <= leaf;
                        assert_eq!(small, new.nodes[i].size == 1);
                    }
                }
            }
        }
    }

    #[test]
    fn wider_nodes_make_a_shallower_tree() {
        let depth = |arity| halves(64).collapse(arity).depth();
        assert_eq!([depth(2), depth(4), depth(8)], [7, 4, 3]);
        assert_eq!(halves(64).merge_leaves(8).depth(), 4);
    }

    #[test]
    fn a_plan_that_loses_a_triangle_is_not_valid() {
        let mut plan = halves(8);
        plan.items[3] = 2;
        assert!(plan.validate(8).is_err());
        let mut plan = halves(8);
        plan.nodes[1].count -= 1;
        assert!(plan.validate(8).is_err());
        assert!(Plan::default().validate(1).is_err());
    }
}
