import CommandLineArguments
import ServiceRuntime
import Settings

/// A command with every kind of option and operand.
struct CopyCommand: Command {
    static let output = CommandOption("output", letter: "o", value: "FILE", completion: .file, "where to write")
    static let quiet = CommandOption("quiet", letter: "q", "print nothing")
    static let tag = CommandOption("tag", value: "NAME", canRepeat: true, "a tag")
    static let format = CommandOption("format", value: "FORMAT", completion: .words(["text", "json"]), "output format")
    static let limit = CommandOption("limit", value: "N", "number of files")
    static let data = CommandOption("data", value: "DIR", overrides: .data, completion: .directory, "data directory")
    static let dev = CommandOption("dev", overrides: .dev, "dev mode")
    static let scale = CommandOption("scale", value: "NAME=N", canRepeat: true, overrides: .scale, "processes")
    static let source = Operand("SOURCE", completion: .file, "what to copy")
    static let others = Operand("OTHER", isOptional: true, canRepeat: true, "what else to copy")

    static let declaration = CommandDeclaration(
        "copy", "copy some files",
        discussion:
            "One paragraph of\ntwo lines.\n\n  an example --with 'quotes'\n\n.A line with a period [and] \\ it's.",
        operands: [source, others],
        options: [output, quiet, tag, format, limit, data, dev, scale, .environmentFile])

    let arguments: ParsedArguments

    init(_ arguments: ParsedArguments, _ environment: Environment) { self.arguments = arguments }

    func run() {}
}

/// A command without operands.
struct ListCommand: Command {
    static let declaration = CommandDeclaration("list", "list the files")

    init(_ arguments: ParsedArguments, _ environment: Environment) {}

    func run() {}
}

/// The commands of the tests.
let testRoot = CommandGroup(
    "tool", "a tool for tests", discussion: "It has commands.",
    [
        .group(CommandGroup("files", "work with files", commands: [CopyCommand.self, ListCommand.self])),
        .command(ListCommand.self),
    ])
