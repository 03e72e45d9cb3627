internal import Glibc
internal import ServiceRuntime

/// The operator's command: `latchkey up`, `service-account`, `templates check`, `help`.
package enum LatchkeyCommand {
    /// Does what the command line says and ends the process.
    package static func main() async -> Never {
        let arguments = Array(CommandLine.arguments.dropFirst())
        switch arguments.first {
        case "up":
            if arguments.dropFirst().contains(where: { $0 == "--help" || $0 == "-h" }) { answer(help) }
            await up(Array(arguments.dropFirst()))
        case "service-account":
            if arguments.dropFirst().contains(where: { $0 == "--help" || $0 == "-h" }) { answer(help) }
            await Program.run("latchkey", .process) { environment in
                try await ServiceAccountCommand(Array(arguments.dropFirst()), environment).run { print($0) }
            }
        case "templates":
            await templates(Array(arguments.dropFirst()))
        case "help", "--help", "-h", nil:
            answer(help)
        case "version", "--version":
            answer("latchkey \(Program.version)")
        case let word?:
            let failure = UsageFailure("There is no command \"\(LogText.escaped(word, maximumBytes: 100))\".")
            await Program.run("latchkey", .process) { _ in throw failure }
        }
    }

    private static func up(_ arguments: [String]) async -> Never {
        let environment: Environment
        do {
            environment = try UpOptions.environment(arguments, over: .process)
        } catch {
            await Program.run("latchkey", .process) { _ in throw error }
        }
        await Program.run("latchkey", environment) { environment in
            try await MeshLauncher(UpSettings(environment), environment, executables: .besideThisOne).run()
        }
    }

    private static func templates(_ arguments: [String]) async -> Never {
        await Program.run("latchkey", .process) { _ in
            guard arguments.first == "check" else {
                throw UsageFailure("`latchkey templates` wants to be told what: check.")
            }
            // A failure ends the process without a last look at what is still to be printed.
            defer { fflush(nil) }
            try TemplatesCommand(files: Array(arguments.dropFirst())).run { print($0) }
        }
    }

    private static func answer(_ text: String) -> Never {
        print(text)
        exit(ExitCode.success)
    }

    private static let help = """
        latchkey \(Program.version): a self-hosted identity platform

        latchkey up [options]    start the whole mesh on this machine and watch it
        latchkey service-account add FILE [--project ID]
                                 register the key of a service account, of which only the public half is kept
        latchkey service-account list [--project ID]
        latchkey service-account remove EMAIL [KEY]
        latchkey templates check [FILE ...]
                                 look over the texts of all e-mails, and those of projects' configurations in files
        latchkey help            this page
        latchkey --version

        Options of `up`, each also read from the variable beside it:

        \(UpOptions.help)

        `service-account` asks the running mesh, through the sockets in the data directory (--data, LATCHKEY_DATA) or the
        brokers that LATCHKEY_BROKERS names.

        Every other LATCHKEY_* variable is handed to the processes it concerns. `ready http://...` on standard output says
        that the mesh answers; the log of all processes goes to standard error. SIGTERM and SIGINT stop everything.
        """
}

/// A command line that nobody can follow.
struct UsageFailure: ProgramFailure, Equatable {
    let sentences: [String]

    init(_ sentence: String) {
        sentences = [sentence, "See latchkey help."]
    }

    var exitCode: Int32 { ExitCode.usage }
}
