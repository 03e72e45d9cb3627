import Contracts
import Foundation
import Testing

@testable import Settings

/// The generated files of the repository. `make settings` writes them.
@Suite struct SettingsDocumentTests {
    private func text(_ path: String) throws -> String {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        return try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }

    @Test func settingsDocumentIsUpToDate() throws {
        #expect(try text("docs/operate/settings.md") == SettingsDocument.markdown, "run `make settings`")
    }

    @Test func everySettingIsOneRow() {
        let rows = SettingsDocument.markdown.split(separator: "\n").filter { $0.hasPrefix("| `") }
        #expect(rows.count == SettingsCatalogue.sections.flatMap(\.settings).count)
        // Five cells; a bar within a cell is escaped.
        #expect(rows.allSatisfy { $0.replacing("\\|", with: "").count { $0 == "|" } == 6 })
    }

    @Test(arguments: SettingsDocument.environmentFileNames)
    func environmentFileIsUpToDate(name: String) throws {
        #expect(try text("deploy/env/\(name).env") == SettingsDocument.environmentFile(name), "run `make settings`")
    }

    @Test func everyDeployFileIsGenerated() throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../deploy/env")
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path(percentEncoded: false))
        #expect(Set(files) == Set(SettingsDocument.environmentFileNames.map { $0 + ".env" }))
    }

    /// A setting for operators is in the file of each process that reads it, or in that of all processes.
    @Test(arguments: ServiceName.allCases)
    func environmentFilesContainEverySettingOfProcess(service: ServiceName) throws {
        let files = try ["mesh", service.rawValue].map { try #require(SettingsDocument.environmentFile($0)) }.joined()
        for setting in SettingsCatalogue.settings(of: .service(service)) where setting.audience == .operator {
            let isOfUnit = setting == .data || setting == .instance
            #expect(files.contains("\(setting.name)=") != isOfUnit, "\(setting.name)")
            if setting.requiredBy.contains(.service(service)), !isOfUnit {
                #expect(files.contains("\n\(setting.name)="), "\(setting.name) is required")
            }
        }
        let secrets = try #require(SettingsDocument.environmentFile("mesh"))
        for setting in SettingsCatalogue.all where setting.isSecret { #expect(!secrets.contains(setting.name)) }
    }

    @Test func unknownFileIsNil() {
        #expect(SettingsDocument.environmentFile("nobody") == nil)
    }

    @Test(arguments: SettingsProcess.allCases)
    func helpNamesEverySettingOfProcess(process: SettingsProcess) {
        let lines = SettingsDocument.help(of: process).split(separator: "\n")
        for setting in SettingsCatalogue.all {
            let isNamed = lines.contains {
                $0.hasPrefix("  \(setting.name)") && $0.dropFirst(2).prefix { $0 != " " } == setting.name
            }
            #expect(isNamed == (setting.readers.contains(process) && setting.audience != .launcher), "\(setting.name)")
        }
    }
}
