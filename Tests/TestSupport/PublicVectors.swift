package import FoundationEssentials

/// Test vectors that others publish. They are not part of this repository: `LATCHKEY_PUBLIC_VECTORS` names their folder.
package enum PublicVectors {
    /// Why a test does not run.
    package static let missing = "LATCHKEY_PUBLIC_VECTORS is not set: the published test vectors are not verified"

    package static var folder: URL? {
        ProcessInfo.processInfo.environment["LATCHKEY_PUBLIC_VECTORS"].map { URL(filePath: $0) }
    }
}
