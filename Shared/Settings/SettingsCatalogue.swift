import Contracts

/// Every environment variable whose name begins with `LATCHKEY_`.
package enum SettingsCatalogue {
    /// Settings of one topic, in the order of the documents.
    package struct Section: Sendable {
        package let title: String
        package let settings: [Setting]
    }

    /// The prefix of all variables of Latchkey.
    package static let prefix = "LATCHKEY_"

    package static let sections: [Section] = [
        Section(title: "All processes", settings: mesh),
        Section(title: "`latchkey up`", settings: launcher),
        Section(title: "Storage and the master key", settings: storage),
        Section(title: "Broker", settings: broker),
        Section(title: "HTTP", settings: gateway),
        Section(title: "Accounts", settings: identity),
        Section(title: "Limits of text messages", settings: smsPolicy),
        Section(title: "App verification", settings: appVerification),
        Section(title: "Passkeys", settings: passkey),
        Section(title: "Identity providers", settings: federation),
        Section(title: "Delivery", settings: delivery),
        Section(title: "E-mail", settings: email),
        Section(title: "Text messages", settings: sms),
        Section(title: "Push", settings: push),
        Section(title: "Webhooks", settings: webhooks),
        Section(title: "Set by `latchkey up`", settings: processStart),
    ]

    /// All settings, in the order of the documents.
    package static let all: [Setting] = sections.flatMap(\.settings)

    /// The settings that a process reads, without those that only `latchkey up` sets.
    package static func settings(of process: SettingsProcess) -> [Setting] {
        all.filter { $0.readers.contains(process) && $0.audience != .launcher }
    }

    // MARK: Distribution

    /// Whether a process that `latchkey up` starts receives a variable of this name.
    /// - Parameter name: begins with `LATCHKEY_`.
    package static func isVisible(_ name: String, to process: SettingsProcess) -> Bool {
        readersByName[name]?.contains(process) ?? false
    }

    /// The readers of each name, `_FILE` forms of secrets included.
    private static let readersByName: [String: Set<SettingsProcess>] = {
        var readers: [String: Set<SettingsProcess>] = [:]
        for setting in all {
            for name in setting.names { readers[name] = setting.readers }
        }
        return readers
    }()

    // MARK: Unknown names

    /// A variable that looks like a setting but is unknown.
    package struct UnknownName: Equatable, Sendable {
        package let name: String
        /// The known name with the smallest edit distance.
        package let nearest: String
    }

    /// The names among `names` that begin with `LATCHKEY_` and that no process reads, in alphabetical order.
    package static func unknownNames(among names: some Sequence<String>) -> [UnknownName] {
        names.filter { $0.hasPrefix(prefix) && readersByName[$0] == nil && !testNames.contains($0) }.sorted()
            .map { UnknownName(name: $0, nearest: nearestName(to: $0)) }
    }

    /// Set by the test suites of this repository for themselves, in the environment that their meshes inherit. No
    /// process reads them.
    package static let testNames: Set<String> = [
        "LATCHKEY_BROKER_EXECUTABLE", "LATCHKEY_EXECUTABLES", "LATCHKEY_FUZZ", "LATCHKEY_FUZZ_TARGET",
        "LATCHKEY_PUBLIC_VECTORS", "LATCHKEY_SERVICE_ACCOUNT", "LATCHKEY_URL", "LATCHKEY_VECTORS",
        "LATCHKEY_WEBAUTHN_VECTORS",
    ]

    /// The first of the nearest names in the order of the catalog. Names that only `latchkey up` sets are not proposed.
    static func nearestName(to name: String) -> String {
        let candidates = all.filter { $0.audience != .launcher }.flatMap(\.names)
        let bytes = Array(name.utf8.prefix(maximumComparedBytes))
        var nearest = (name: "", distance: Int.max)
        for candidate in candidates {
            let distance = editDistance(bytes, Array(candidate.utf8))
            if distance < nearest.distance { nearest = (candidate, distance) }
        }
        return nearest.name
    }

    /// An external name can be long, and the time to compare grows with it.
    private static let maximumComparedBytes = 100

    /// The Levenshtein distance: the minimum number of insertions, deletions and replacements of one byte that turn `a`
    /// into `b`.
    package static func editDistance(_ a: [UInt8], _ b: [UInt8]) -> Int {
        var row = Array(0...b.count)
        for (i, byte) in a.enumerated() {
            var diagonal = row[0]
            row[0] = i + 1
            for (j, other) in b.enumerated() {
                let replaced = diagonal + (byte == other ? 0 : 1)
                diagonal = row[j + 1]
                row[j + 1] = min(replaced, row[j] + 1, row[j + 1] + 1)
            }
        }
        return row[b.count]
    }

    // MARK: Secrets in files

    /// The secrets of a process that its environment sets as files.
    /// - Parameter isSet: whether a variable has a value.
    package static func secretFiles(of process: SettingsProcess, isSet: (String) -> Bool) -> [Setting] {
        all.filter { setting in
            setting.isResolvedFromFile && setting.readers.contains(process) && setting.fileName.map(isSet) == true
        }
    }

    /// The secrets of all processes that are set twice: in the variable and as a file.
    /// - Parameter isSet: whether a variable has a value.
    package static func ambiguousSecrets(isSet: (String) -> Bool) -> [Setting] {
        all.filter { $0.isResolvedFromFile && isSet($0.name) && $0.fileName.map(isSet) == true }
    }
}
