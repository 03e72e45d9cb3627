/// An identifier with its own type, so that kinds cannot be confused. Encodes as a bare JSON string.
package struct Identifier<Entity>: Hashable, Sendable {
    package let rawValue: String

    package init(_ rawValue: String) {
        self.rawValue = rawValue
    }
}

extension Identifier: Codable {
    package init(from decoder: any Decoder) throws {
        rawValue = try decoder.singleValueContainer().decode(String.self)
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(rawValue)
    }
}

extension Identifier: CustomStringConvertible {
    package var description: String { rawValue }
}

extension Identifier: Comparable {
    package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// The entities of identifiers. They have no values: each only distinguishes its identifiers from the others.
package enum Entities {
    package enum APNsKey {}
    package enum Account {}
    package enum AccountEvent {}
    package enum Application {}
    package enum Factor {}
    package enum Message {}
    package enum Project {}
    package enum SigningKey {}
    package enum Tenant {}
    package enum Webhook {}
}

/// A key for pushes of a project: 32 lower-case hexadecimal digits.
package typealias APNsKeyID = Identifier<Entities.APNsKey>
/// `localId` on the wire: 1 to 128 characters.
package typealias AccountID = Identifier<Entities.Account>
/// `webhook-id` of a delivery: `evt_` and 32 lower-case hexadecimal digits.
package typealias AccountEventID = Identifier<Entities.AccountEvent>
/// `client_id` of a registered application: 32 lower-case hexadecimal digits.
package typealias ApplicationID = Identifier<Entities.Application>
/// `mfaEnrollmentId` on the wire.
package typealias FactorID = Identifier<Entities.Factor>
/// The id of one message that the notifier accepted: 32 lower-case hexadecimal digits.
package typealias MessageID = Identifier<Entities.Message>
/// The textual id of a project in paths, issuers and audiences.
package typealias ProjectID = Identifier<Entities.Project>
/// `kid` of a published signing key.
package typealias SigningKeyID = Identifier<Entities.SigningKey>
package typealias TenantID = Identifier<Entities.Tenant>
/// 32 lower-case hexadecimal digits.
package typealias WebhookID = Identifier<Entities.Webhook>
