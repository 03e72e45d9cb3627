import Contracts
import Vocabulary

/// The fields of a body that name the realm of the request.
struct RealmFields: Decodable, Sendable {
    var tenantId: String?
    /// Administrators only.
    var targetProjectId: String?
    var delegatedProjectNumber: Ignored?
}

/// A body with the fields of a route and of the realm.
@dynamicMemberLookup
struct RealmBody<Fields: Decodable>: Decodable {
    var realm: RealmFields
    var fields: Fields

    init(realm: RealmFields, fields: Fields) {
        self.realm = realm
        self.fields = fields
    }

    init(from decoder: any Decoder) throws {
        fields = try Fields(from: decoder)
        realm = try RealmFields(from: decoder)
    }

    subscript<Value>(dynamicMember member: KeyPath<Fields, Value>) -> Value { fields[keyPath: member] }
}

/// The fields of a route that only asks for the user of an ID token.
struct IDTokenBody: Decodable {
    var idToken: String?
}

extension RealmBody: Sendable where Fields: Sendable {}

extension Call {
    /// The body as a JSON object of this shape, with the realm fields.
    func realmBody<Fields: Decodable>(_ type: Fields.Type) throws -> RealmBody<Fields> {
        try body(RealmBody<Fields>.self)
    }

    /// The same for an administrator: unknown fields are refused.
    func administratorRealmBody<Fields: Decodable>(_ type: Fields.Type) throws -> RealmBody<Fields> {
        try administratorBody(RealmBody<Fields>.self)
    }

    func realm(_ body: RealmBody<some Decodable>) throws -> Realm { try realm(body.realm) }

    /// Project and tenant. The tenant comes from the path, else from the fields. A token may contain one, which
    /// services compare.
    /// - Throws: also `TENANT_ID_MISMATCH` when path and fields differ.
    func realm(_ fields: RealmFields = .init()) throws -> Realm {
        let project = try project(target: fields.targetProjectId)
        let tenant = values[.tenant] ?? fields.tenantId.nilIfEmpty
        guard let tenant else { return Realm(project: project) }
        if let other = fields.tenantId.nilIfEmpty, other != tenant { throw ServiceError(.tenantMismatch) }
        guard Realm.isIdentifier(tenant) else { throw ServiceError(.tenantNotFound) }
        return Realm(project: project, tenant: TenantID(tenant))
    }
}
