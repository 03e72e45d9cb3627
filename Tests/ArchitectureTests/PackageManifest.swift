import Foundation

/// The targets of Package.swift, as its calls `shared(…)`, `service(…)` and those for C libraries declare them.
struct PackageManifest {
    struct Service {
        /// In `Services`; also the name of the executable.
        let folder: Substring
        let module: Substring
        let dependencies: Set<Substring>
    }

    /// What each module of `Shared` depends on, C libraries included.
    let sharedModules: [Substring: Set<Substring>]
    let services: [Service]
    /// The targets of C libraries. Only one module of `Shared` depends on each.
    let libraries: Set<Substring>

    init() throws {
        let text = try String(contentsOf: SourceTree.root.appending(path: "Package.swift"), encoding: .utf8)
        // The functions stand before the package that calls them.
        let calls = text.components(separatedBy: "let package = Package(").last ?? ""
        var modules: [Substring: Set<Substring>] = [:]
        for call in calls.matches(of: /shared\(([^)]*)\)/) {
            let names = Self.names(in: call.1)
            modules[names[0]] = Set(names.dropFirst())
        }
        sharedModules = modules
        let service = /service\(\s*"([^"]+)", module: "([^"]+)"([^)]*?)(?:(?:excluding|programs):[^)]*)?\)/
        services = calls.matches(of: service).map {
            Service(folder: $0.1, module: $0.2, dependencies: Set(Self.names(in: $0.3)))
        }
        libraries = Set(calls.matches(of: /(?:cLibrary|cxxShim|cShim|embeddedFile)\(\s*"([^"]+)"/).map(\.1))
    }

    private static func names(in text: Substring) -> [Substring] { text.matches(of: /"([^"]+)"/).map(\.1) }
}
