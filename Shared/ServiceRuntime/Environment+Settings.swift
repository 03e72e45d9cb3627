package import Settings
import Vocabulary

extension Environment {
    /// The resolved settings of a process: without unknown names, and with the contents of secret files in their
    /// variables. It blocks: call it at the start of a process.
    /// - Throws: every unknown name, every secret that is set twice, and every unusable file.
    package func resolved(for process: SettingsProcess) throws(SettingsError) -> Environment {
        let isSet = { (name: String) in self[name] != nil }
        var issues = SettingsCatalogue.unknownNames(among: names).map { unknown in
            SettingsIssue(
                LogEscaping.escaped(unknown.name, maximumBytes: 100), "is unknown",
                remedy: "Did you mean \(unknown.nearest)?")
        }
        let ambiguous = SettingsCatalogue.ambiguousSecrets(isSet: isSet)
        issues += ambiguous.map { setting in
            SettingsIssue(setting, "is set, and so is \(setting.name)_FILE", remedy: "Remove one of them")
        }
        var changes: [String: String?] = [:]
        for setting in SettingsCatalogue.secretFiles(of: process, isSet: isSet) where !ambiguous.contains(setting) {
            guard let fileName = setting.fileName, let path = self[fileName] else { continue }
            do throws(SecretFileError) {
                changes[setting.name] = try Self.secret(path, fileName)
                changes[fileName] = .some(nil)
            } catch {
                issues.append(SettingsIssue(fileName, error))
            }
        }
        guard issues.isEmpty else { throw SettingsError(issues) }
        return changing(changes)
    }

    /// The content of a file without one newline at its end.
    private static func secret(_ path: String, _ name: String) throws(SecretFileError) -> String {
        var text = try SecretFile.read(path, setting: name, readers: .ownerAndGroup).reveal()
        if text.utf8.last == UInt8(ascii: "\n") { text.unicodeScalars.removeLast() }
        guard !text.isEmpty else { throw .empty(path, setting: name) }
        return text
    }
}

extension SettingsIssue {
    /// For a file that a variable names. The path is shown, the content is not.
    fileprivate init(_ fileName: String, _ error: SecretFileError) {
        switch error {
        case .unreadable(let path, _, let reason):
            self.init(
                fileName, "names \(Self.shown(path)), which cannot be read: \(reason)", remedy: "Name the right file")
        case .readableByOthers(let path):
            self.init(
                fileName, "names \(Self.shown(path)), which all users can read",
                remedy: "Run `chmod o= \(Self.shown(path))`")
        case .empty(let path, _):
            self.init(fileName, "names \(Self.shown(path)), which is empty", remedy: "Write the secret into it")
        }
    }

    private static func shown(_ path: String) -> String { LogEscaping.escaped(path, maximumBytes: 200) }
}
