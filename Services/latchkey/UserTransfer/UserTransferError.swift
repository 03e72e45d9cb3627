import Contracts
import ServiceRuntime
import UserFiles

/// Why `users import` or `users export` failed.
enum UserTransferError: ExitError, Equatable {
    case file(UserFileError)
    case unreadable(String, reason: String)
    case unwritable(String, reason: String)
    case exists(String)
    case missingHashAlgorithm(RecordPosition)
    case hashParameters(HashParametersError)
    /// The state of an earlier run belongs to another file or another destination.
    case otherState(String)
    case sealed(String, SealedFileError)
    case passphraseTooShort
    case passphrasesDiffer
    /// The master key does not open the secrets of a service.
    case unopenedSecrets(String)
    case refusedRecords(Int)
    case refused(ServiceError)

    init(_ error: UserImportError) {
        self =
            switch error {
            case .file(let error): .file(error)
            case .missingHashAlgorithm(let position): .missingHashAlgorithm(position)
            case .refused(let error): .refused(error)
            }
    }

    var exitCode: Int32 {
        switch self {
        case .file, .missingHashAlgorithm, .sealed(_, .damaged): ExitCode.data
        case .hashParameters, .passphraseTooShort, .sealed(_, .notSealed): ExitCode.usage
        case .unopenedSecrets: ExitCode.settings
        case .sealed(_, .wrongPassphrase), .passphrasesDiffer, .unreadable, .unwritable, .exists, .otherState,
            .refusedRecords, .refused:
            ExitCode.failure
        }
    }

    var messages: [String] {
        switch self {
        case .file(.truncated(let position)):
            [
                "The file ends inside record \(position.number), at byte \(position.byteOffset).",
                "Get the complete file, and continue with --resume.",
            ]
        case .file(.malformed(let position)):
            ["Byte \(position.byteOffset) of the file, at record \(position.number), does not belong to the format."]
        case .file(.recordTooLong(let position)):
            [
                "Record \(position.number), at byte \(position.byteOffset), has more than "
                    + "\(UserFileError.maximumRecordBytes) bytes."
            ]
        case .unreadable(let path, let reason): ["\(path) cannot be read: \(reason)."]
        case .unwritable(let path, let reason): ["\(path) cannot be written: \(reason)."]
        case .exists(let path): ["\(path) exists. Name another file, or remove it."]
        case .missingHashAlgorithm(let position):
            [
                "Record \(position.number) has a password hash, and nothing names its algorithm.",
                "Copy the parameters from the Firebase console into a file for --hash-config, or name them with "
                    + "--hash-algo and its options.",
            ]
        case .hashParameters(.unknownAlgorithm(let name)):
            ["\(name.isEmpty ? "The hash parameters name no" : "\(name) is not a known") hash algorithm."]
        case .hashParameters(.missing(let name)): ["The hash algorithm requires --\(name.rawValue)."]
        case .hashParameters(.malformed(let name, let expected)): ["--\(name.rawValue) requires \(expected)."]
        case .hashParameters(.withoutEffect(let name)): ["--\(name) has no effect with this hash algorithm."]
        case .hashParameters(.malformedLine(let number)):
            ["Line \(number) of the hash parameters is not one that the Firebase console shows."]
        case .otherState(let path):
            [
                "\(path) belongs to an import of another file, or into another project or tenant.",
                "Remove it, or import without --resume.",
            ]
        case .sealed(let path, .notSealed): ["\(path) is not sealed: --passphrase-file has no effect."]
        case .sealed(let path, .wrongPassphrase):
            ["The passphrase does not open \(path), or its first bytes were changed."]
        case .sealed(let path, .damaged(let piece)):
            [
                "\(path) was changed or cut, in part \(piece + 1) of \(SealedFile.pieceBytes) bytes. Some users of the parts "
                    + "before it may be imported. Get the complete file, and import it with --resume."
            ]
        case .passphraseTooShort:
            ["The passphrase has fewer than \(SealedFile.minimumPassphraseLength) characters."]
        case .passphrasesDiffer: ["The two passphrases differ."]
        case .unopenedSecrets(let place):
            ["The master key does not open the secrets in \(place). Use the settings of the services."]
        case .refusedRecords(let count): ["\(count) record\(count == 1 ? " was" : "s were") refused."]
        case .refused(let error): Self.messages(error)
        }
    }

    private static func messages(_ error: ServiceError) -> [String] {
        switch error.code {
        case .unavailable, .overloaded, .deadlineExceeded:
            ["No reply from the mesh (\(error.code.rawValue)). Continue an import with --resume."]
        case .projectNotFound: ["The mesh has no such project. Name one with --project."]
        case .tenantNotFound: ["The project has no such tenant."]
        case .invalidPasswordHashAlgorithm:
            ["The hash parameters are not acceptable: \(error.message ?? error.code.rawValue)."]
        // Of a closed list of eighty, the rest cannot happen.
        default: ["The mesh refused: \(error.code.rawValue)\(error.message.map { ", \($0)" } ?? "")."]
        }
    }
}
