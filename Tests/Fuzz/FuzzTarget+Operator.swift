import FoundationEssentials
import JSON
import Vocabulary

@testable import CommandLineArguments
@testable import LatchkeyProgram
@testable import MasterKey

/// Files that an operator writes or moves: they come from another machine, or were cut off.
extension FuzzTarget {
    /// An environment file. What was read can be written with quotation marks, and read again.
    static func readEnvironmentFile(_ input: [UInt8]) throws {
        guard let file = try? EnvironmentFile(input) else { return }
        let lines = file.variables.map { name, value in
            let escaped = value.unicodeScalars.map { scalar in
                scalar == "\\" || scalar == "\"" ? "\\\(scalar)" : String(scalar)
            }
            return "\(name)=\"\(escaped.joined())\"\n"
        }
        try demand(
            try EnvironmentFile(Array(lines.joined().utf8)) == file, "a written environment file has the same variables"
        )
        try demand(file.variables.values.allSatisfy { !$0.utf8.contains(0) }, "no variable has a NUL")
    }

    /// The first line is the seal of a backup, and the rest its manifest.
    static func readBackupManifest(_ text: String) throws {
        let (seal, manifest) = text.halves(at: "\n")
        for text in [String(seal), text] {
            guard let mac = ManifestMAC(text: text) else { continue }
            try demand(ManifestMAC(text: mac.text) == mac, "a seal survives being written")
        }
        for text in [String(manifest ?? ""), text] {
            guard let read = try? WireJSON.decode(BackupManifest.self, from: Data(text.utf8)) else { continue }
            guard read.isSensible else { continue }
            try demand(
                read.services.allSatisfy { !$0.file.contains("/") && $0.bytes > 0 }, "no file leaves the backup")
            let written = try WireJSON.encodeSorted(read)
            try demand(
                try WireJSON.decode(BackupManifest.self, from: written) == read, "a manifest survives being written")
            _ = read.masterKeys
        }
    }

    /// The file, or the variable, of the master keys.
    static func readMasterKeys(_ text: String) throws {
        guard let ring = try? MasterKeyRing(text: text) else { return }
        let again = try MasterKeyRing(text: ring.text)
        try demand(again.text == ring.text && again.ids == ring.ids, "a ring survives being written")
        try demand(Set(ring.ids).count == ring.ids.count, "each id has one key")
        for key in ring.all { try demand(key.key(for: "fuzz").count == 32, "a key has keys for its purposes") }
    }
}
