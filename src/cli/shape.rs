//! Options of `diglot export` that divide an export into many files.

use std::path::Path;

use clap::Args;
use diglot::config::settings::{SIZE, size};
use diglot::error::Error;
use diglot::export::{Bytes, Compression, Content, Files, Format, Split};

use super::output::compression;

/// How an export is divided into files, and what these are compressed with.
#[derive(Args)]
pub struct ShapeArgs {
    /// A file for each language pair, in a folder.
    ///
    /// FILE is then the name of the folder; of pages there is a file for each language. The files are langs=en-fr/part.parquet and so on, as query engines and data frames read partitions; without `langs=` in formats that
    /// have no columns. moses, bitextor and hf write all language pairs in this way, also without the option where FILE ends in `/`.
    #[arg(long, value_name = "langs", value_parser = ["langs"], hide_possible_values = true)]
    partition_by: Option<String>,
    /// Begin a new file when one has about this size, in a folder.
    ///
    /// FILE is then the name of the folder. Sizes are about those on the disk, of Parquet at the most: bytes, or a number with K, M, G or T (by 1024). Files are numbered: part-00000.parquet and so on.
    #[arg(long, value_name = "SIZE", value_parser = shard_bytes)]
    shard_size: Option<u64>,
    /// Divide by domain, in a folder: train=.98,dev=.01,test=.01.
    ///
    /// FILE is then the name of the folder. A domain is in one part as a whole, and stays in it whatever is added to the store; `brand.de` and `brand.fr` count as one, since they may be
    /// one site. Files are called after their part: train.parquet, dev.parquet, test.parquet.
    #[arg(long, value_name = "NAME=SHARE,…", value_parser = Split::parse)]
    split: Option<Split>,
    /// What files are compressed with: zstd (Parquet by default), gzip, snappy, none.
    ///
    /// snappy is for Parquet alone. Single files of other formats are compressed as their names say: .gz, .zst.
    #[arg(long, value_name = "NAME", hide_possible_values = true, hide_short_help = true, value_parser = Compression::ALL.map(|(name, _)| name))]
    compression: Option<String>,
}

/// The name of files that are not divided for training and tests.
pub const ONLY_PART: &str = "part";

/// True for a name that ends as that of a folder does.
fn is_name_of_folder(file: &Path) -> bool {
    file.as_os_str().as_encoded_bytes().last().is_some_and(|&byte| std::path::is_separator(byte.into()))
}

fn shard_bytes(text: &str) -> Result<u64, String> {
    size(text).filter(|bytes| *bytes > 0).ok_or_else(|| format!("expected {SIZE}"))
}

/// How the files of a folder are made.
pub struct Shape {
    /// True where each language pair has files of its own.
    pub by_langs: bool,
    /// About how many bytes a file has at most.
    pub shard_bytes: Option<u64>,
    /// The parts for training and tests.
    pub split: Option<Split>,
    /// The compression of the files.
    pub compression: Compression,
}

impl ShapeArgs {
    /// True where the output is a folder: the options ask for several files, the name ends as that of a folder, or the format makes one.
    pub fn is_of_folder(&self, format: &Format, file: Option<&Path>) -> bool {
        self.is_divided()
            || format.files == Files::Documents
            || file.is_some_and(is_name_of_folder)
            || self.is_dataset(Some(format.name), file)
    }

    fn is_divided(&self) -> bool {
        self.partition_by.is_some() || self.shard_size.is_some() || self.split.is_some()
    }

    /// True for a folder that Hugging Face `datasets` load as a whole.
    pub fn is_dataset(&self, format: Option<&str>, file: Option<&Path>) -> bool {
        let is_folder = |file: &Path| self.is_divided() || is_name_of_folder(file) || file.extension().is_none();
        format == Some("hf") && file.is_some_and(is_folder)
    }

    /// The name whose ending says the format: that of the file, without an ending for compression; for a data set, the name of its files,
    /// which are Parquet unless their name says otherwise.
    pub fn naming(&self, format: Option<&str>, file: Option<&Path>) -> Option<String> {
        let name = file?.file_name()?.to_string_lossy();
        let says = |ending: &str| name.to_ascii_lowercase().ends_with(ending);
        if cfg!(feature = "parquet") && self.is_dataset(format, file) && ![".jsonl", ".ndjson"].into_iter().any(says) {
            return Some("data.parquet".to_owned());
        }
        Some(name.strip_suffix(".gz").or(name.strip_suffix(".zst")).unwrap_or(&name).to_owned())
    }

    /// The names of the parts for training and tests; none where rows are not divided so.
    pub fn parts(&self) -> Vec<String> {
        self.split.iter().flat_map(Split::names).map(str::to_owned).collect()
    }

    /// How rows are divided: the name of the option, and its value.
    pub fn told(&self) -> Option<(String, String)> {
        Some(("split".into(), self.split.as_ref()?.to_string()))
    }

    /// The compression of the only file.
    ///
    /// # Errors
    /// When its name, or the format, says something else than the option.
    pub fn compression_of_file(&self, format: &Format, file: Option<&Path>) -> Result<Compression, Error> {
        if format.bytes == Bytes::Packed {
            return Ok(self.asked().unwrap_or_default());
        }
        let named = match file.and_then(compression) {
            Some(ending) if ending == "gz" => Compression::Gzip,
            Some(_) => Compression::Zstd,
            None => Compression::None,
        };
        match self.asked() {
            Some(asked) if asked != named => Err(Error::Config(format!(
                "--compression {} is for Parquet and folders; a file of --format {} is compressed as its name says: .gz, .zst",
                self.compression.as_deref().unwrap_or_default(),
                format.name
            ))),
            _ => Ok(named),
        }
    }

    /// How the files of a folder are made.
    ///
    /// # Errors
    /// When the content or the format cannot be divided so.
    pub fn of_folder(&self, content: Content, format: &Format) -> Result<Shape, Error> {
        use Content::{Bitext, Documents, Fetch, Pages, Pairs, Rebuild, Units, Warc};
        let (of_langs, of_domains) = (
            [Pairs, Bitext, Rebuild, Documents, Pages],
            [Pairs, Bitext, Rebuild, Documents, Units, Pages, Fetch, Warc],
        );
        let needs = |option: &str, contents: &[Content]| {
            let names: Vec<&str> = contents.iter().map(|content| content.name()).collect();
            Err(Error::Config(format!("{option} needs --what {}; --what is {}", names.join(", "), content.name())))
        };
        if self.partition_by.is_some() && !of_langs.contains(&content) {
            return needs("--partition-by langs", &of_langs);
        }
        if self.split.is_some() && !of_domains.contains(&content) {
            return needs("--split", &of_domains);
        }
        if self.shard_size.is_some() && !of_domains.contains(&content) {
            return needs("--shard-size", &of_domains);
        }
        if self.shard_size.is_some() && format.files == Files::Documents {
            let name = format.name;
            let problem = format!("--shard-size cuts files, and --format {name} has one for each page; leave it out");
            return Err(Error::Config(problem));
        }
        let is_gzip = format.bytes == Bytes::Members || format.files == Files::Documents;
        let usual = match format.bytes {
            Bytes::Packed => Compression::Zstd,
            _ if is_gzip => Compression::Gzip,
            _ => Compression::None,
        };
        let compression = self.asked().unwrap_or(usual);
        let takes = match compression {
            Compression::None | Compression::Gzip => true,
            Compression::Zstd => !is_gzip,
            Compression::Snappy => format.bytes == Bytes::Packed,
        };
        if !takes {
            let asked = self.compression.as_deref().unwrap_or_default();
            let expected = if is_gzip { "gzip or none" } else { "zstd, gzip or none" };
            return Err(Error::Config(format!(
                "--format {} is not compressed by {asked}; expected {expected}",
                format.name
            )));
        }
        let by_langs = self.partition_by.is_some() || format.files != Files::One;
        Ok(Shape { by_langs, shard_bytes: self.shard_size, split: self.split.clone(), compression })
    }

    fn asked(&self) -> Option<Compression> {
        let name = self.compression.as_deref()?;
        Compression::ALL.iter().find(|(known, _)| *known == name).map(|(_, compression)| *compression)
    }
}

impl Shape {
    /// The name of a part, by its number.
    pub fn part(&self, number: usize) -> &str {
        self.split.as_ref().and_then(|split| split.names().nth(number)).unwrap_or(ONLY_PART)
    }

    /// The ending that this division adds to the names of files, behind that of the format.
    pub fn ending(&self, format: &Format) -> &'static str {
        match (format.bytes, self.compression) {
            (Bytes::Packed, _) | (_, Compression::None | Compression::Snappy) => "",
            (_, Compression::Gzip) => ".gz",
            (_, Compression::Zstd) => ".zst",
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;
    use diglot::export;

    use super::*;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        shape: ShapeArgs,
    }

    fn shape(arguments: &str) -> ShapeArgs {
        Line::parse_from(std::iter::once("x").chain(arguments.split_whitespace())).shape
    }

    fn format(content: Content, name: &str) -> &'static Format {
        export::format(Some(content), Some(name), None).expect("a format").1
    }

    #[test]
    fn what_contradicts_is_refused() {
        let problem = |arguments: &str, content, name: &str| {
            shape(arguments).of_folder(content, format(content, name)).err().expect("refused").to_string()
        };
        assert!(problem("--partition-by langs", Content::Units, "jsonl").contains("needs --what pairs, bitext"));
        assert!(problem("--split a=1", Content::Lexicon, "tsv").contains("--split needs --what pairs"));
        assert!(
            problem("--shard-size 1M --compression snappy", Content::Pairs, "tsv")
                .contains("expected zstd, gzip or none")
        );
        assert!(problem("--shard-size 1M --compression zstd", Content::Warc, "warc").contains("expected gzip or none"));
        let of_file = |arguments: &str, file: &str| {
            shape(arguments).compression_of_file(format(Content::Pairs, "tsv"), Some(Path::new(file)))
        };
        assert_eq!(of_file("", "x.gz").ok(), Some(Compression::Gzip));
        assert_eq!(of_file("--compression zstd", "x.zst").ok(), Some(Compression::Zstd));
        assert!(of_file("--compression zstd", "x.tsv").is_err() && of_file("--compression none", "x.gz").is_err());
    }

    #[test]
    fn a_data_set_is_a_folder_whatever_its_name() {
        let told = |arguments: &str, format: Option<&str>, file: &str| {
            let (shape, file) = (shape(arguments), Some(Path::new(file)));
            (shape.is_dataset(format, file), shape.naming(format, file).unwrap_or_default())
        };
        for (arguments, format, file, expected) in [
            ("", Some("hf"), "corpus", (true, "data.parquet")),
            ("", Some("hf"), "corpus.jsonl.gz", (false, "corpus.jsonl")),
            ("--split a=1", Some("hf"), "corpus.v1", (true, "data.parquet")),
            ("--split a=1", Some("hf"), "corpus.jsonl", (true, "corpus.jsonl")),
            ("--split a=1", None, "corpus", (false, "corpus")),
        ] {
            if cfg!(feature = "parquet") {
                assert_eq!(told(arguments, format, file), (expected.0, expected.1.to_owned()), "{file}");
            }
        }
    }

    #[test]
    fn names_end_in_what_files_are_compressed_with() {
        let ending = |arguments: &str, content, name: &str| {
            let format = format(content, name);
            shape(arguments).of_folder(content, format).expect("a shape").ending(format)
        };
        assert_eq!(ending("--split a=1", Content::Pairs, "tsv"), "");
        assert_eq!(ending("--compression zstd", Content::Pairs, "tsv"), ".zst");
        assert_eq!(ending("", Content::Warc, "warc"), ".gz");
        let moses =
            shape("--shard-size 1G").of_folder(Content::Bitext, format(Content::Bitext, "moses")).expect("a shape");
        assert!(moses.by_langs && moses.shard_bytes == Some(1 << 30), "its files are of two languages");
    }
}
