//! The modules of a crate, and which module imports from which. Both are read from the paths in the source files.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

use super::sources;

/// Path of a module or item below the root of its crate. The path of the root is empty.
type ModulePath = Vec<String>;

/// Maximum number of re-exports between a path and the item that it names.
const MAX_RE_EXPORTS: usize = 8;

/// The modules of a crate.
#[derive(Default)]
pub(super) struct Modules {
    /// For each module, the paths in its code that lead to its own crate.
    paths: BTreeMap<ModulePath, Vec<ModulePath>>,
    /// For each module, the items of its own crate that it imports or re-exports, by name.
    imports: BTreeMap<ModulePath, BTreeMap<String, ModulePath>>,
}

impl Modules {
    /// Reads all source files of a crate, except tests.
    pub(super) fn read(source_directory: &Path) -> Self {
        let mut files = Vec::new();
        sources(source_directory, &mut files);
        let mut codes: BTreeMap<ModulePath, String> = BTreeMap::new();
        for file in files {
            let relative_path = file.strip_prefix(source_directory).unwrap().with_extension("");
            let mut module: ModulePath = relative_path.iter().map(|part| part.to_string_lossy().into_owned()).collect();
            if matches!(module.last().map(String::as_str), Some("mod")) || module == ["lib"] || module == ["main"] {
                module.pop();
            }
            codes.entry(module).or_default().push_str(&code(&fs::read_to_string(&file).unwrap()));
        }
        let mut modules = Self::default();
        for module in codes.keys() {
            modules.paths.insert(module.clone(), Vec::new());
            modules.imports.insert(module.clone(), BTreeMap::new());
        }
        for (module, code) in &codes {
            modules.add_paths(module, code);
        }
        modules
    }

    /// Adds the paths in the code of a module.
    fn add_paths(&mut self, module: &[String], code: &str) {
        let mut imported = Vec::new();
        for (_, rest) in code.match_indices("use ").map(|(at, _)| code.split_at(at + "use ".len())) {
            expand(rest.split(';').next().unwrap(), &[], &mut imported);
        }
        for (path, name) in imported {
            if let Some(path) = self.absolute(module, &path) {
                self.paths.get_mut(module).unwrap().push(path.clone());
                self.imports.get_mut(module).unwrap().insert(name, path);
            }
        }
        let words = code.split(|c: char| !c.is_ascii_alphanumeric() && !"_:".contains(c));
        for word in words.filter(|word| ["crate::", "super::", "self::"].iter().any(|start| word.starts_with(start))) {
            let path = self.absolute(module, &segments(word));
            self.paths.get_mut(module).unwrap().extend(path);
        }
    }

    /// Returns the path from the root of the crate, or `None` if a path leads to another crate.
    fn absolute(&self, module: &[String], path: &[String]) -> Option<ModulePath> {
        let mut absolute = module.to_vec();
        let mut rest = path;
        match path.first()?.as_str() {
            "crate" => Some(path[1..].to_vec()),
            "super" | "self" => {
                while let Some(first @ ("super" | "self")) = rest.first().map(String::as_str) {
                    if first == "super" {
                        absolute.pop();
                    }
                    rest = &rest[1..];
                }
                absolute.extend_from_slice(rest);
                Some(absolute)
            }
            child => {
                absolute.push(child.to_owned());
                let is_module = self.paths.contains_key(&absolute);
                absolute.extend_from_slice(&path[1..]);
                is_module.then_some(absolute)
            }
        }
    }

    /// Returns the number of leading segments of a path that are a module.
    fn module_length(&self, path: &[String]) -> usize {
        (0..=path.len()).rev().find(|length| self.paths.contains_key(&path[..*length])).unwrap_or(0)
    }

    /// Returns the module that defines the item at a path.
    fn defining_module(&self, path: &[String]) -> ModulePath {
        let mut path = path.to_vec();
        for _ in 0..MAX_RE_EXPORTS {
            let length = self.module_length(&path);
            let Some(imported) = path.get(length).and_then(|name| self.imports[&path[..length]].get(name)) else {
                break;
            };
            path = [&imported[..], &path[length + 1..]].concat();
        }
        path.truncate(self.module_length(&path));
        path
    }

    /// Returns the dependencies between the modules directly below `parent`. A dependency of a submodule counts as a
    /// dependency of the module that contains it.
    pub(super) fn dependencies(&self, parent: &[String]) -> BTreeMap<&str, BTreeSet<String>> {
        let mut dependencies: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
        for (module, paths) in &self.paths {
            let Some(name) = module.strip_prefix(parent).and_then(|rest| rest.first()) else { continue };
            let dependencies = dependencies.entry(name).or_default();
            for path in paths {
                let target = self.defining_module(path);
                let target = target.strip_prefix(parent).and_then(|rest| rest.first());
                dependencies.extend(target.filter(|target| *target != name).cloned());
            }
        }
        dependencies
    }

    /// Returns the circles of modules that have the same parent. Each circle has the paths of its modules.
    pub(super) fn circles(&self) -> BTreeSet<Vec<String>> {
        let parents: BTreeSet<&[String]> =
            self.paths.keys().filter_map(|module| module.split_last()).map(|(_, parent)| parent).collect();
        let mut circles = BTreeSet::new();
        for parent in parents {
            let dependencies = self.dependencies(parent);
            let reached: BTreeMap<&str, BTreeSet<&str>> =
                dependencies.keys().map(|module| (*module, reachable(&dependencies, module))).collect();
            for (module, targets) in reached.iter().filter(|(module, targets)| targets.contains(*module)) {
                let circle = targets.iter().filter(|target| reached[*target].contains(module));
                circles.insert(circle.map(|name| [parent, &[(*name).to_owned()]].concat().join("::")).collect());
            }
        }
        circles
    }
}

/// Returns the modules that a module depends on, directly or through others.
fn reachable<'m>(dependencies: &'m BTreeMap<&str, BTreeSet<String>>, module: &str) -> BTreeSet<&'m str> {
    let mut reached = BTreeSet::new();
    let mut waiting = vec![module];
    while let Some(module) = waiting.pop() {
        for target in dependencies.get(module).into_iter().flatten() {
            if reached.insert(target.as_str()) {
                waiting.push(target);
            }
        }
    }
    reached
}

/// Returns a file without comments and without the unit tests at its end.
fn code(text: &str) -> String {
    let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap();
    code.lines().filter(|line| !line.trim_start().starts_with("//")).map(|line| format!("{line}\n")).collect()
}

/// Returns the segments of a path.
fn segments(path: &str) -> ModulePath {
    path.split("::").map(|segment| segment.trim().to_owned()).filter(|segment| !segment.is_empty()).collect()
}

/// Adds the paths of a `use` declaration, such as `crate::{a::B, c::{self, D as E}}`, with the names that they get.
fn expand(tree: &str, prefix: &[String], paths: &mut Vec<(ModulePath, String)>) {
    let mut depth = 0;
    let parts = tree.split(|c: char| {
        depth += i32::from(c == '{') - i32::from(c == '}');
        c == ',' && depth == 0
    });
    for part in parts.map(str::trim).filter(|part| !part.is_empty()) {
        if let Some((start, rest)) = part.split_once('{') {
            let prefix = [prefix, &segments(start)].concat();
            expand(rest.rsplit_once('}').map_or(rest, |(inner, _)| inner), &prefix, paths);
            continue;
        }
        let (path, alias) = part.split_once(" as ").unwrap_or((part, ""));
        let mut path = [prefix, &segments(path)].concat();
        if path.last().is_some_and(|last| last == "self") {
            path.pop();
        }
        if let Some(last) = path.last() {
            let name = if alias.is_empty() { last.clone() } else { alias.trim().to_owned() };
            paths.push((path, name));
        }
    }
}

#[test]
fn paths_of_a_use_declaration_are_expanded() {
    let mut paths = Vec::new();
    expand("crate::{\n    a::B,\n    c::{self, D as E},\n}", &[], &mut paths);
    let paths: Vec<(String, String)> = paths.into_iter().map(|(path, name)| (path.join("::"), name)).collect();
    let expected = [("crate::a::B", "B"), ("crate::c", "c"), ("crate::c::D", "E")];
    assert_eq!(paths, expected.map(|(path, name)| (path.to_owned(), name.to_owned())));
}
