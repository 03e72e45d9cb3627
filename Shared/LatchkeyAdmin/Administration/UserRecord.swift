public import Foundation
public import LatchkeyAuth

/// An account as administrators see it.
public struct UserRecord: Sendable {
    /// The ID of the account.
    public let uid: String
    /// The tenant of the account.
    public let tenantID: String?
    /// The e-mail address.
    public let email: String?
    /// Whether the user has verified the address.
    public let isEmailVerified: Bool
    /// The name to show.
    public let displayName: String?
    /// The picture to show.
    public let photoURL: URL?
    /// The phone number with which the user signs in; never that of a second factor.
    public let phoneNumber: String?
    /// Whether the user cannot sign in.
    public let isDisabled: Bool
    /// The credentials with which the user can sign in.
    public let providerData: [any UserInfo]
    /// The second factors, with whole phone numbers.
    public let enrolledFactors: [MultiFactorInfo]
    /// The custom claims of the account: `String`, `Int`, `Double`, `Bool`, `NSNull`, arrays and dictionaries.
    public let customClaims: [String: any Sendable]
    /// When the account was created and used.
    public let metadata: UserMetadata
    /// Sessions that began before this time have ended.
    public let tokensValidAfter: Date?

    init(_ record: AdministeredAccount) {
        let account = record.account
        uid = account.localId
        tenantID = account.tenantId
        email = account.email
        isEmailVerified = account.emailVerified ?? false
        displayName = account.displayName
        photoURL = account.photoUrl.flatMap(URL.init(string:))
        phoneNumber = account.phoneNumber
        isDisabled = record.disabled ?? false
        providerData = (account.providerUserInfo ?? []).map(ProviderUserInfo.init)
        enrolledFactors = (account.mfaInfo ?? []).map(MultiFactorInfo.info)
        customClaims = record.customAttributes.flatMap { JSONObject(Data($0.utf8))?.members } ?? [:]
        metadata = UserMetadata(account)
        tokensValidAfter = record.validSince.flatMap(Double.init).map { Date(timeIntervalSince1970: $0) }
    }

    /// Whether `accounts:lookup` returned this account because of the identifier.
    func matches(_ identifier: UserIdentifier) -> Bool {
        switch identifier {
        case .uid(let uid): uid == self.uid
        case .email(let email): email.lowercased() == self.email?.lowercased()
        case .phoneNumber(let number): number == phoneNumber
        case .provider(let id, let uid): providerData.contains { $0.providerID == id && $0.uid == uid }
        }
    }
}

/// An account in the responses to an administrator (REST 2.13).
struct AdministeredAccount: Decodable, Sendable {
    var account: AccountRecord
    var disabled: Bool?
    /// JSON as text.
    var customAttributes: String?
    /// Seconds since 1970, as text.
    var validSince: String?

    private enum CodingKeys: String, CodingKey { case disabled, customAttributes, validSince }

    init(from decoder: any Decoder) throws {
        account = try AccountRecord(from: decoder)
        let members = try decoder.container(keyedBy: CodingKeys.self)
        disabled = try members.decodeIfPresent(Bool.self, forKey: .disabled)
        customAttributes = try members.decodeIfPresent(String.self, forKey: .customAttributes)
        validSince = try members.decodeIfPresent(String.self, forKey: .validSince)
    }
}
