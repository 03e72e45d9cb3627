import Contracts
import Crypto
import FoundationEssentials
import JSON
import ServiceRuntime
import Vocabulary

/// Decodes the fields of a record.
struct UserRecordDecoder: Sendable {
    /// The algorithm of hashes without an algorithm of their own.
    let algorithm: PasswordHashAlgorithm?
    /// By id, from the lines of the file.
    private var peppers: [String: Secret<OctetString>] = [:]

    private static let maximumPeppers = 16

    init(algorithm: PasswordHashAlgorithm?) {
        self.algorithm = algorithm
    }

    /// - Returns: nil for a line that is no user.
    mutating func record(_ raw: RawRecord) -> UserFileRecord? {
        let body: UserRecordBody
        do throws(UserRecordError) {
            switch raw.content {
            case .json(let text): body = try Self.body(text)
            case .fields(let fields): body = try UserRecordColumns.body(fields)
            }
        } catch {
            return UserFileRecord(position: raw.position, localID: nil, content: .failure(error))
        }
        if let pepper = body.latchkeyPepper {
            guard let key = Base64Field.decode(pepper.key), peppers.count < Self.maximumPeppers else {
                return UserFileRecord(
                    position: raw.position, localID: nil, content: .failure(.malformed("latchkeyPepper is malformed")))
            }
            peppers[pepper.id] = Secret(OctetString(key))
            return nil
        }
        do throws(UserRecordError) {
            return UserFileRecord(position: raw.position, localID: body.localId, content: .success(try entry(body)))
        } catch {
            return UserFileRecord(position: raw.position, localID: body.localId, content: .failure(error))
        }
    }

    private static func body(_ text: [UInt8]) throws(UserRecordError) -> UserRecordBody {
        do {
            return try WireJSON.decode(UserRecordBody.self, from: Data(text))
        } catch let error as DecodingError {
            throw .malformed(error.fieldMessage)
        } catch {
            throw .malformed("the record is not valid JSON within the limits")
        }
    }

    private func entry(_ body: UserRecordBody) throws(UserRecordError) -> UserFileEntry {
        var omissions: Set<ImportOmission> = []
        let factors = body.mfaInfo ?? []
        var totpFactors: [TOTPFactorEntry] = []
        for factor in factors {
            guard let info = factor.totpInfo else { continue }
            switch info.secret {
            case .success(let secret): totpFactors.append(try factor.totpEntry(secret))
            case .failure(let omission): omissions.insert(omission.part)
            }
        }
        let passkeys = (body.passkeyInfo ?? []).map(\.entry)
        if passkeys.contains(nil) { omissions.insert(.passkeys) }
        let password = try password(body, &omissions)
        var entries: [Identity.FactorEntry] = []
        for factor in factors where factor.totpInfo == nil { entries.append(try factor.entry()) }
        let links = (body.providerUserInfo ?? []).filter { !["password", "phone"].contains($0.providerId) }.map(\.link)
        let deletionDueAt = body.deletionDueAt.nilIfEmpty.flatMap { Moment(rfc3339: $0) }
        guard body.deletionDueAt.nilIfEmpty == nil || deletionDueAt != nil else {
            throw .malformed("deletionDueAt is no time")
        }
        let account = Identity.ImportedAccount(
            id: AccountID(body.localId ?? ""),
            profile: .init(
                email: body.email.nilIfEmpty, emailVerified: body.emailVerified?.value,
                displayName: body.displayName.nilIfEmpty, photoURL: body.photoUrl.nilIfEmpty,
                phoneNumber: body.phoneNumber.nilIfEmpty, disabled: body.disabled?.value,
                customClaims: body.customAttributes.nilIfEmpty,
                validSince: body.validSince?.value.map { Timestamp(seconds: $0) },
                createdAt: body.createdAt?.moment, lastSignInAt: (body.lastLoginAt ?? body.lastSignedInAt)?.moment,
                secondFactors: entries.isEmpty ? nil : entries),
            emailLinkSignIn: body.emailLinkSignin?.value ?? false, links: links, passwordHash: password?.hash,
            salt: password?.salt, algorithm: password?.algorithm, passwordChangedAt: body.passwordUpdatedAt?.moment,
            deletionDueAt: deletionDueAt)
        return UserFileEntry(
            account: account, tenant: body.tenantId.nilIfEmpty.map { TenantID($0) }, totpFactors: totpFactors,
            passkeys: passkeys.compactMap(\.self), omissions: omissions)
    }

    private struct Password {
        var hash: OctetString
        var salt: OctetString?
        /// Absent: that of the command.
        var algorithm: PasswordHashAlgorithm?
    }

    private func password(
        _ body: UserRecordBody, _ omissions: inout Set<ImportOmission>
    ) throws(UserRecordError) -> Password? {
        guard let text = body.passwordHash.nilIfEmpty else { return nil }
        // Django's and Unix's mark of a password with which nobody can sign in.
        guard !text.hasPrefix("!") else { return nil }
        // Neither is a character of base64.
        if text.utf8.contains(UInt8(ascii: "$")) || text.hasPrefix("{") {
            guard let parsed = PasswordHashText(text) else {
                let form = PasswordHashText.formName(of: text).map { ": \($0)" } ?? ""
                throw .malformed("passwordHash is no hash of a known form\(form)")
            }
            var algorithm = parsed.algorithm
            if case .pepperedArgon2(let parameters, let pepper) = algorithm {
                algorithm = .pepperedArgon2(parameters, .init(id: pepper.id, key: peppers[pepper.id]))
            }
            return Password(hash: parsed.hash, salt: parsed.salt, algorithm: algorithm)
        }
        guard text != Self.redactedHash else {
            omissions.insert(.redactedHash)
            return nil
        }
        guard body.version?.value ?? 0 == 0 else {
            omissions.insert(.otherHash)
            return nil
        }
        guard let hash = Base64Field.decode(text) else { throw .malformed("passwordHash is not base64") }
        guard algorithm != nil else { throw .missingHashAlgorithm }
        guard let salt = Base64Field.decode(body.salt ?? "") else { throw .malformed("salt is not base64") }
        return Password(hash: OctetString(hash), salt: OctetString(salt), algorithm: nil)
    }

    /// base64 of `REDACTED`.
    private static let redactedHash = "UkVEQUNURUQ="
}

extension DecodingError {
    /// Names the field, without its value.
    fileprivate var fieldMessage: String {
        let path =
            switch self {
            case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
                context.codingPath
            case .keyNotFound(let key, let context): context.codingPath + [key]
            @unknown default: [any CodingKey]()
            }
        let name = path.map { key in key.intValue.map { "\($0)" } ?? key.stringValue }.joined(separator: ".")
        return name.isEmpty ? "the record is not an object" : "\(name) has another type or is missing"
    }
}

extension ProviderUserBody {
    fileprivate var link: ProviderLink {
        ProviderLink(
            providerID: providerId ?? "", providerAccountID: rawId ?? "", email: email.nilIfEmpty,
            displayName: displayName.nilIfEmpty, photoURL: photoUrl.nilIfEmpty)
    }
}

extension FactorRecordBody {
    fileprivate func entry() throws(UserRecordError) -> Identity.FactorEntry {
        .init(
            id: mfaEnrollmentId.nilIfEmpty.map { FactorID($0) },
            kind: .phone(number: unobfuscatedPhoneInfo.nilIfEmpty ?? phoneInfo ?? ""),
            displayName: displayName.nilIfEmpty, enrolledAt: try enrollmentTime())
    }

    fileprivate func totpEntry(_ secret: Secret<OctetString>) throws(UserRecordError) -> TOTPFactorEntry {
        .init(
            id: mfaEnrollmentId.nilIfEmpty.map { FactorID($0) }, displayName: displayName.nilIfEmpty,
            enrolledAt: try enrollmentTime(), secret: secret)
    }

    private func enrollmentTime() throws(UserRecordError) -> Moment? {
        guard let text = enrolledAt.nilIfEmpty else { return nil }
        guard let moment = Moment(rfc3339: text) else { throw .malformed("mfaInfo.enrolledAt is not a time") }
        return moment
    }
}

extension TOTPRecordBody {
    /// Why a factor does not come over.
    fileprivate struct Omission: Error {
        var part: ImportOmission
    }

    fileprivate var secret: Result<Secret<OctetString>, Omission> {
        guard let text = sharedSecretKey.nilIfEmpty else { return .failure(Omission(part: .totp)) }
        guard ["SHA1", "SHA-1", "HMACSHA1"].contains(hashingAlgorithm.nilIfEmpty?.uppercased() ?? "SHA1"),
            verificationCodeLength?.value ?? 6 == 6, periodSec?.value ?? 30 == 30
        else { return .failure(Omission(part: .totpParameters)) }
        guard let encoding = SecretEncoding(rawValue: secretEncoding.nilIfEmpty ?? SecretEncoding.base32.rawValue),
            let bytes = encoding.decode(text), MFATOTP.ImportedFactor.secretByteCounts.contains(bytes.count)
        else { return .failure(Omission(part: .totpSecret)) }
        return .success(Secret(OctetString(bytes)))
    }
}

extension TOTPRecordBody.SecretEncoding {
    fileprivate func decode(_ text: String) -> [UInt8]? {
        switch self {
        // Apps show groups of four characters.
        case .base32: Base32.decode(text.replacing(" ", with: ""))
        case .base64: Base64Field.decode(text)
        case .hex: [UInt8](hexadecimal: text)
        case .text: Array(text.utf8)
        }
    }
}
