//! The commands in groups, as the help shows them: clap groups options, and not commands.

use clap::Command;

use super::color::Style;

/// The groups: what their commands do, and the names of the commands.
const GROUPS: [(&str, &[&str]); 6] = [
    ("Make pairs", &["run", "ingest", "align"]),
    ("Look", &["status", "hosts", "keys", "pairs", "bitext", "explain", "show", "index", "cat"]),
    ("Judge", &["review", "correct", "report", "eval", "compare", "diff"]),
    ("Hand over", &["export", "rebuild", "recover", "explore"]),
    ("Keep the store", &["check", "compact", "remove", "merge"]),
    ("For shells and engines", &["completions", "man", "exec", "help"]),
];

/// The widest line.
const WIDTH: usize = 80;
/// The column in which the descriptions of commands begin.
const INDENT: usize = 15;

/// The command line, with its commands in groups.
pub fn grouped(command: Command) -> Command {
    let about = |name: &str| command.find_subcommand(name).filter(|found| !found.is_hide_set())?.get_about();
    let mut text = String::new();
    for (group, names) in GROUPS {
        text += &format!("{}\n", Style::Bold.out(&format!("{group}:")));
        for name in names {
            let about = match *name {
                "help" => Some("Print the help of a command".to_owned()),
                name => about(name).map(ToString::to_string),
            };
            if let Some(about) = about {
                text += &format!("  {}{}\n", Style::Bold.out(&format!("{name:<0$}", INDENT - 2)), wrapped(&about));
            }
        }
        text.push('\n');
    }
    let options = Style::Bold.out("Options of all commands:");
    command.help_template(format!(
        "{{before-help}}{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{text}{options}\n{{options}}{{after-help}}"
    ))
}

/// A text whose further lines stand below its first.
fn wrapped(text: &str) -> String {
    let (mut lines, mut width) = (String::new(), INDENT);
    for word in text.split(' ') {
        let needed = word.chars().count() + 1;
        if width > INDENT && width + needed > WIDTH {
            lines += &format!("\n{:INDENT$}", "");
            width = INDENT;
        }
        if width > INDENT {
            lines.push(' ');
        }
        lines += word;
        width += needed;
    }
    lines
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn every_command_stands_in_one_group() {
        let command = super::super::Cli::command();
        let shown = command.get_subcommands().filter(|command| !command.is_hide_set());
        for name in shown.map(Command::get_name) {
            let groups = GROUPS.iter().filter(|(_, names)| names.contains(&name)).count();
            assert_eq!(groups, 1, "{name}");
        }
    }

    #[test]
    fn what_a_command_does_is_wrapped() {
        let text = "word ".repeat(30);
        let lines: Vec<String> = wrapped(text.trim_end()).lines().map(str::to_owned).collect();
        assert_eq!(lines.len(), 3);
        assert!(lines[0].chars().count() <= WIDTH - INDENT && lines[1].starts_with(&" ".repeat(INDENT)), "{lines:?}");
    }
}
