//! Links between sites.

/// A graph of sites. The sites of the store have the numbers 0 to [`Web::stored`], the others follow. Implemented by the mapped records,
/// and by a list.
pub trait Web {
    /// How many sites the store has; only their links are known.
    fn stored(&self) -> u32;

    /// How many sites there are in all.
    fn count(&self) -> u32;

    /// Calls `each` with a site, a site that it links to, and the number of links, ordered by both; no site links to itself. Inlined, since
    /// rounds of ranking do nothing else.
    fn for_each_link(&self, each: impl FnMut(u32, u32, u32));
}

/// A web as a list, for tests.
#[derive(Clone, Debug, Default)]
pub struct ListedWeb {
    /// [`Web::stored`].
    pub stored: u32,
    /// [`Web::count`].
    pub count: u32,
    /// Site, site linked to, number of links.
    pub links: Vec<(u32, u32, u32)>,
}

impl Web for ListedWeb {
    fn stored(&self) -> u32 {
        self.stored
    }

    fn count(&self) -> u32 {
        self.count
    }

    fn for_each_link(&self, mut each: impl FnMut(u32, u32, u32)) {
        self.links.iter().for_each(|&(from, to, links)| each(from, to, links));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_gives_its_links_as_they_stand() {
        let web = ListedWeb { stored: 1, count: 3, links: vec![(0, 2, 5), (0, 1, 1)] };
        let mut links = Vec::new();
        web.for_each_link(|from, to, count| links.push((from, to, count)));
        assert_eq!((web.stored(), web.count(), links), (1, 3, web.links.clone()));
    }
}
