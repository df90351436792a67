//! Writes small ZIM files, as libzim does, for tests.

use std::collections::BTreeMap;

/// How a ZIM is laid out.
#[derive(Clone, Copy, Debug)]
pub struct Layout {
    /// All content is in one namespace.
    pub is_new: bool,
    /// 1 for none, 4 for xz, 5 for zstd.
    pub coding: u8,
    /// Offsets of 8 bytes.
    pub is_wide: bool,
    /// How many blobs are in a cluster.
    pub blobs: usize,
}

impl Default for Layout {
    fn default() -> Layout {
        Layout { is_new: true, coding: 5, is_wide: false, blobs: 2 }
    }
}

/// A ZIM being made.
#[derive(Clone, Debug)]
pub struct Sample {
    layout: Layout,
    types: Vec<String>,
    blobs: Vec<Vec<u8>>,
    /// By namespace and path, as they are sorted.
    entries: BTreeMap<(u8, String), Content>,
}

#[derive(Clone, Debug)]
enum Content {
    Blob { kind: usize, blob: usize },
    Redirect(u8, String),
}

impl Sample {
    pub fn new(layout: Layout) -> Sample {
        let types = ["text/html", "text/plain"].map(str::to_owned).into();
        Sample { layout, types, blobs: Vec::new(), entries: BTreeMap::new() }
    }

    /// Adds an entry with bytes of its own.
    pub fn add(&mut self, namespace: u8, path: &str, kind: &str, bytes: &[u8]) {
        let known = self.types.iter().position(|known| known == kind);
        let kind = known.unwrap_or_else(|| {
            self.types.push(kind.to_owned());
            self.types.len() - 1
        });
        self.entries.insert((namespace, path.to_owned()), Content::Blob { kind, blob: self.blobs.len() });
        self.blobs.push(bytes.to_vec());
    }

    /// Adds another path of an entry.
    pub fn alias(&mut self, namespace: u8, path: &str, to: &str) {
        let content = self.entries[&(namespace, to.to_owned())].clone();
        self.entries.insert((namespace, path.to_owned()), content);
    }

    /// Adds an entry that leads to another.
    pub fn redirect(&mut self, namespace: u8, path: &str, to_namespace: u8, to: &str) {
        self.entries.insert((namespace, path.to_owned()), Content::Redirect(to_namespace, to.to_owned()));
    }

    /// The file.
    pub fn bytes(&self) -> Vec<u8> {
        let mut bytes = vec![0; 80];
        for kind in &self.types {
            bytes.extend([kind.as_bytes(), &[0]].concat());
        }
        bytes.push(0);
        let mut clusters = Vec::new();
        for blobs in self.blobs.chunks(self.layout.blobs) {
            clusters.push(bytes.len() as u64);
            bytes.extend(cluster(blobs, self.layout.coding, self.layout.is_wide));
        }
        let mut entries = Vec::new();
        for ((namespace, path), content) in &self.entries {
            entries.push(bytes.len() as u64);
            let number = |number: usize| (number as u32).to_le_bytes();
            let (kind, numbers) = match content {
                Content::Blob { kind, blob } => {
                    let (cluster, blob) = (blob / self.layout.blobs, blob % self.layout.blobs);
                    (*kind as u16, [number(cluster), number(blob)].concat())
                }
                Content::Redirect(namespace, path) => {
                    let to = self.entries.keys().position(|key| (key.0, &key.1) == (*namespace, path));
                    (0xffff, number(to.unwrap_or(usize::MAX)).to_vec())
                }
            };
            bytes.extend(kind.to_le_bytes());
            bytes.extend([0, *namespace, 0, 0, 0, 0]);
            // The title is that of the path.
            bytes.extend([&numbers, path.as_bytes(), &[0, 0]].concat());
        }
        let entries_at = bytes.len() as u64;
        bytes.extend(entries.iter().flat_map(|at| at.to_le_bytes()));
        let clusters_at = bytes.len() as u64;
        bytes.extend(clusters.iter().flat_map(|at| at.to_le_bytes()));
        let checksum_at = bytes.len() as u64;
        let minor = u16::from(self.layout.is_new);
        let header = [
            b"ZIM\x04".as_slice(),
            &6_u16.to_le_bytes(),
            &minor.to_le_bytes(),
            &[7; 16],
            &(entries.len() as u32).to_le_bytes(),
            &(clusters.len() as u32).to_le_bytes(),
            &entries_at.to_le_bytes(),
            &u64::MAX.to_le_bytes(),
            &clusters_at.to_le_bytes(),
            &80_u64.to_le_bytes(),
            &[0xff; 8],
            &checksum_at.to_le_bytes(),
        ];
        bytes[..80].copy_from_slice(&header.concat());
        bytes.extend([0; 16]);
        bytes
    }
}

/// A cluster of these blobs.
pub fn cluster(blobs: &[Vec<u8>], coding: u8, is_wide: bool) -> Vec<u8> {
    let width = if is_wide { 8 } else { 4 };
    let (mut data, mut at) = (Vec::new(), (blobs.len() as u64 + 1) * width);
    let lengths = blobs.iter().map(|blob| blob.len() as u64).chain([0]);
    for length in lengths {
        data.extend(&at.to_le_bytes()[..width as usize]);
        at += length;
    }
    data.extend(blobs.concat());
    let coded = match coding {
        4 => {
            let mut encoder = liblzma::read::XzEncoder::new(data.as_slice(), 1);
            let mut coded = Vec::new();
            std::io::Read::read_to_end(&mut encoder, &mut coded).expect("memory");
            coded
        }
        5 => zstd::encode_all(data.as_slice(), 3).expect("memory"),
        _ => data,
    };
    [&[coding | if is_wide { 0x10 } else { 0 }], coded.as_slice()].concat()
}
