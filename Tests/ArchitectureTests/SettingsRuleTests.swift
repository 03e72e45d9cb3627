import Contracts
import Settings
import Testing

/// The catalog of settings and the sources that read them.
struct SettingsRuleTests {
    private let tree: SourceTree

    init() throws { tree = try SourceTree() }

    private static let catalogue = "Shared/Settings/"

    /// The sources of each executable: its folder, and the shared folders that read settings for it.
    private static let shared: [SettingsProcess: [String]] = {
        let databaseOwners = ["Shared/Storage/", "Shared/MasterKey/"]
        return Dictionary(
            uniqueKeysWithValues: SettingsProcess.allCases.map { process in
                switch process {
                case .latchkey: (process, databaseOwners + ["Shared/ServiceRuntime/"])
                case .service(let service):
                    switch service {
                    case .broker, .gateway: (process, ["Shared/ServiceRuntime/"])
                    case .identity, .mfaSMS, .mfaTOTP, .passkey, .federation, .notifier:
                        (process, databaseOwners + ["Shared/ServiceRuntime/"])
                    }
                }
            })
    }()

    /// The constants of the catalog, with the names of their variables.
    private var constants: [(constant: String, isInList: Bool)] {
        let files = tree.files.filter { $0.path.hasPrefix(Self.catalogue + "Catalogue/") }
        return files.flatMap { file in
            let text = file.lines.joined(separator: "\n")
            let lists = text.components(after: "extension SettingsCatalogue")
            return file.code.compactMap { _, line -> (String, Bool)? in
                guard let match = line.firstMatch(of: #/^    package static let (\w+) = /#) else { return nil }
                let constant = String(match.1)
                let isInList = lists.contains { ".\(constant)," == $0 || ".\(constant)]" == $0 }
                return (constant, isInList)
            }
        }
    }

    @Test func everyConstantIsInCatalogue() {
        let constants = constants
        for (constant, isInList) in constants { #expect(isInList, "\(constant) is in no list of the catalogue") }
        // A function creates the databases of single services.
        let databases = ServiceName.allCases.filter(\.ownsData).count
        #expect(constants.count + databases == SettingsCatalogue.all.count)
    }

    /// Sources, comments and messages name existing variables only.
    @Test func everyNameInSourceIsInCatalogue() {
        let known = Set(SettingsCatalogue.all.flatMap { [$0.name, $0.fileName].compactMap(\.self) })
        for file in tree.files where !file.path.hasPrefix("Tests/") && !file.path.hasPrefix(Self.catalogue) {
            for (number, line) in file.lines.enumerated() where line.contains("LATCHKEY_") {
                for match in line.matches(of: /LATCHKEY(_[A-Z0-9]+)+(?![A-Z0-9_<\\*])/) {
                    #expect(known.contains(String(match.0)), "\(file):\(number + 1) names \(match.0)")
                }
            }
        }
    }

    /// Sources read a variable through its constant. LatchkeyTestKit starts the server as an application does, and depends on
    /// none of its modules.
    @Test func variablesAreReadByConstant() {
        let others = ["Tests/", Self.catalogue, "Shared/LatchkeyTestKit/"]
        for file in tree.files where !others.contains(where: file.path.hasPrefix) {
            for (place, line) in file.code where line.contains("\"LATCHKEY_") {
                #expect(line.firstMatch(of: /"LATCHKEY_[A-Z0-9_]*"/) == nil, "\(place) quotes the name of a variable")
            }
        }
    }

    /// `SettingsReader` checks at run time that a process reads no other settings.
    @Test(arguments: SettingsProcess.allCases)
    func processReadsEveryListedSetting(process: SettingsProcess) throws {
        let folders = try #require(Self.shared[process]) + ["Services/\(process.name)/"]
        let files = tree.files.filter { file in folders.contains { file.path.hasPrefix($0) } }
        let members = files.flatMap(\.code).flatMap { _, text in
            text.utf8.split(separator: UInt8(ascii: ".")).dropFirst(text.utf8.first == UInt8(ascii: ".") ? 0 : 1)
                .map { Substring($0.prefix(while: SourceTokens.isNameByte)) }
        }
        let words = Set(members.map(String.init))
        let constantNames = Dictionary(
            uniqueKeysWithValues: constants.compactMap { constant, _ in
                setting(of: constant).map { ($0, constant) }
            })
        for setting in SettingsCatalogue.all where setting.readers.contains(process) {
            let constant = constantNames[setting] ?? "databaseURL"
            #expect(words.contains(constant), "\(process.name) does not read \(setting.name)")
        }
    }

    /// Constants are named after their variables.
    private func setting(of constant: String) -> Setting? {
        SettingsCatalogue.all.first { setting in
            setting.name.dropFirst(SettingsCatalogue.prefix.count).filter { $0 != "_" }.lowercased()
                == constant.lowercased()
        }
    }

    @Test func constantsMatchVariableNames() {
        for (constant, _) in constants { #expect(setting(of: constant) != nil, "\(constant)") }
    }
}

extension String {
    /// The words, split at white space and opening brackets, of everything after the first `marker`.
    fileprivate func components(after marker: String) -> [String] {
        guard let range = firstRange(of: marker) else { return [] }
        return self[range.upperBound...].split { $0.isWhitespace || $0 == "[" }.map(String.init)
    }
}
