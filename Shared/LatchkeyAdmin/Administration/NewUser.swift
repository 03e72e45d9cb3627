public import Foundation

/// The account that ``AdminAuth/createUser(_:)`` creates. Absent values stay empty.
public struct NewUser: Hashable, Sendable {
    /// The ID, 1 to 128 characters; nil lets the server choose one.
    public var uid: String?
    /// The e-mail address.
    public var email: String?
    /// Whether the address counts as verified.
    public var isEmailVerified = false
    /// A password, which the policy of the project accepts.
    public var password: String?
    /// The name to show.
    public var displayName: String?
    /// The picture to show.
    public var photoURL: URL?
    /// A phone number to sign in with, in the form E.164.
    public var phoneNumber: String?
    /// Whether the user cannot sign in.
    public var isDisabled = false
    /// Phones as second factors. They require a verified e-mail address.
    public var secondFactors: [PhoneFactor] = []

    /// A phone as second factor.
    public struct PhoneFactor: Hashable, Sendable {
        /// In the form E.164.
        public var phoneNumber: String
        /// Shown to the user at a sign-in.
        public var displayName: String?

        /// A phone.
        public init(phoneNumber: String, displayName: String? = nil) {
            self.phoneNumber = phoneNumber
            self.displayName = displayName
        }
    }

    /// An account with an address and a password, or with none.
    public init(uid: String? = nil, email: String? = nil, password: String? = nil) {
        self.uid = uid
        self.email = email
        self.password = password
    }
}

/// A change of an account with ``AdminAuth/updateUser(_:_:)``. Properties that are nil stay as they are.
public struct UserUpdate: Hashable, Sendable {
    /// A new value, or none.
    public enum Change<Value: Hashable & Sendable>: Hashable, Sendable {
        case set(Value)
        case remove
    }

    /// The e-mail address. Earlier sessions of the user end.
    public var email: String?
    /// Whether the address counts as verified.
    public var isEmailVerified: Bool?
    /// The password. Earlier sessions of the user end.
    public var password: String?
    /// The name to show.
    public var displayName: Change<String>?
    /// The picture to show.
    public var photoURL: Change<URL>?
    /// The phone number to sign in with, in the form E.164.
    public var phoneNumber: Change<String>?
    /// Whether the user cannot sign in.
    public var isDisabled: Bool?
    /// Identity providers with which the user no longer signs in, such as `facebook.com`.
    public var providersToUnlink: [String] = []
    /// Removes all second factors, of a user who has lost them.
    public var removesSecondFactors = false

    /// A change without effect.
    public init() {}
}

/// By what an account is found.
public enum UserIdentifier: Hashable, Sendable {
    case uid(String)
    case email(String)
    /// In the form E.164.
    case phoneNumber(String)
    /// An account at an identity provider.
    case provider(id: String, uid: String)
}

// MARK: - Requests

/// `accounts` (REST 4.1): creates an account.
struct CreateUserRequest: Encodable, Sendable {
    struct Factor: Encodable, Sendable {
        var phoneInfo: String
        var displayName: String?
    }

    var localId, email, password, displayName, photoUrl, phoneNumber: String?
    var emailVerified, disabled: Bool
    var mfaInfo: [Factor]?

    init(_ user: NewUser) {
        localId = user.uid
        email = user.email
        password = user.password
        displayName = user.displayName
        photoUrl = user.photoURL?.absoluteString
        phoneNumber = user.phoneNumber
        emailVerified = user.isEmailVerified
        disabled = user.isDisabled
        let factors = user.secondFactors.map { Factor(phoneInfo: $0.phoneNumber, displayName: $0.displayName) }
        mfaInfo = factors.isEmpty ? nil : factors
    }
}

/// `accounts:update` of an administrator (REST 2.12).
struct UpdateUserRequest: Encodable, Sendable {
    struct EmptyObject: Encodable, Sendable {}

    var localId: String
    var email, password, displayName, photoUrl, phoneNumber: String?
    var emailVerified, disableUser: Bool?
    var deleteAttribute, deleteProvider: [String]?
    /// JSON as text.
    var customAttributes: String?
    /// Seconds since 1970, as text.
    var validSince: String?
    var mfa: EmptyObject?

    init(_ uid: String) { localId = uid }

    init(_ uid: String, _ update: UserUpdate) {
        self.init(uid)
        var attributes: [String] = []
        var providers = update.providersToUnlink
        email = update.email
        password = update.password
        emailVerified = update.isEmailVerified
        disableUser = update.isDisabled
        displayName = Self.value(update.displayName, removal: "DISPLAY_NAME", from: &attributes)
        photoUrl = Self.value(update.photoURL, removal: "PHOTO_URL", from: &attributes)?.absoluteString
        phoneNumber = Self.value(update.phoneNumber, removal: "phone", from: &providers)
        deleteAttribute = attributes.isEmpty ? nil : attributes
        deleteProvider = providers.isEmpty ? nil : providers
        mfa = update.removesSecondFactors ? EmptyObject() : nil
    }

    private static func value<Value>(
        _ change: UserUpdate.Change<Value>?, removal: String, from removals: inout [String]
    ) -> Value? {
        switch change {
        case .set(let value)?: return value
        case .remove?:
            removals.append(removal)
            return nil
        case nil: return nil
        }
    }
}

/// `accounts:lookup` of an administrator (REST 2.13).
struct LookupUsersRequest: Encodable, Sendable {
    struct Provider: Encodable, Sendable { var providerId, rawId: String }

    var localId: [String] = []
    var email: [String] = []
    var phoneNumber: [String] = []
    var federatedUserId: [Provider] = []

    init(_ identifiers: [UserIdentifier]) {
        for identifier in identifiers {
            switch identifier {
            case .uid(let uid): localId.append(uid)
            case .email(let address): email.append(address)
            case .phoneNumber(let number): phoneNumber.append(number)
            case .provider(let id, let uid): federatedUserId.append(Provider(providerId: id, rawId: uid))
            }
        }
    }

    struct Response: Decodable, Sendable { var users: [AdministeredAccount]? }
}
