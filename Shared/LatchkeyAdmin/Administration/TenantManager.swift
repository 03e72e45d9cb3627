import Foundation
import LatchkeyAuth

/// Administers the tenants of a project (REST 5.2): ``AdminAuth/tenantManager()``.
public struct TenantManager: Sendable {
    let server: AdminServer

    /// The tenant with an ID.
    /// - Throws: `tenantNotFound`.
    public func getTenant(_ tenantID: String) async throws -> Tenant {
        try await server.send(.get, "v2", ["tenants", tenantID], repetition: .always, as: Tenant.self)
    }

    /// Creates a tenant. The server chooses its ID, from the name and random characters.
    /// - Throws: `invalidArgument`; `operationNotAllowed` in a project without tenants.
    public func createTenant(_ settings: TenantSettings) async throws -> Tenant {
        try await server.send(
            .post, "v2", ["tenants"], body: settings, repetition: .ifNotReceived, as: Tenant.self)
    }

    /// Changes a tenant. Properties that are nil stay as they are.
    /// - Throws: `tenantNotFound`, `invalidArgument`.
    @discardableResult
    public func updateTenant(_ tenantID: String, _ settings: TenantSettings) async throws -> Tenant {
        let mask = settings.mask
        guard !mask.isEmpty else { return try await getTenant(tenantID) }
        return try await server.send(
            .patch, "v2", ["tenants", tenantID], query: [("updateMask", mask.joined(separator: ","))], body: settings,
            repetition: .always, as: Tenant.self)
    }

    /// Deletes a tenant with its accounts.
    /// - Throws: `tenantNotFound`.
    public func deleteTenant(_ tenantID: String) async throws {
        _ = try await server.send(
            .delete, "v2", ["tenants", tenantID], repetition: .always, as: EmptyResponse.self)
    }

    /// One page of the tenants, in the order of their IDs.
    /// - Parameters:
    ///   - pageSize: 1 to 1,000.
    ///   - pageToken: of the page before; nil for the first page.
    /// - Returns: the tenants, and the token of the next page if there is one.
    public func listTenants(pageSize: Int = 100, pageToken: String? = nil) async throws
        -> (tenants: [Tenant], nextPageToken: String?)
    {
        struct Response: Decodable {
            var tenants: [Tenant]?
            var nextPageToken: String?
        }
        let response = try await server.send(
            .get, "v2", ["tenants"],
            query: [("pageSize", String(min(max(pageSize, 1), 1000))), ("pageToken", pageToken)], repetition: .always,
            as: Response.self)
        return (response.tenants ?? [], response.nextPageToken)
    }
}

/// What ``TenantManager`` creates, or changes: properties that are nil stay as they are.
public struct TenantSettings: Codable, Hashable, Sendable {
    /// 4 to 20 characters, the first one a letter.
    public var displayName: String?
    /// Whether users sign in with passwords. A new tenant has no sign-in methods.
    public var allowPasswordSignup: Bool?
    /// Whether users sign in with links in e-mails.
    public var enableEmailLinkSignin: Bool?
    /// Whether anonymous accounts can be created.
    public var enableAnonymousUser: Bool?
    /// Whether all sign-ins are refused.
    public var disableAuth: Bool?
    /// The second factors.
    public var mfaConfig: MultiFactorConfig?

    /// Settings.
    public init(
        displayName: String? = nil, allowPasswordSignup: Bool? = nil, enableEmailLinkSignin: Bool? = nil,
        enableAnonymousUser: Bool? = nil, disableAuth: Bool? = nil, mfaConfig: MultiFactorConfig? = nil
    ) {
        self.displayName = displayName
        self.allowPasswordSignup = allowPasswordSignup
        self.enableEmailLinkSignin = enableEmailLinkSignin
        self.enableAnonymousUser = enableAnonymousUser
        self.disableAuth = disableAuth
        self.mfaConfig = mfaConfig
    }

    /// The paths of a field mask for the properties that are not nil.
    var mask: [String] {
        [
            displayName.map { _ in "displayName" }, allowPasswordSignup.map { _ in "allowPasswordSignup" },
            enableEmailLinkSignin.map { _ in "enableEmailLinkSignin" },
            enableAnonymousUser.map { _ in "enableAnonymousUser" }, disableAuth.map { _ in "disableAuth" },
        ].compactMap { $0 } + (mfaConfig?.mask(below: "mfaConfig") ?? [])
    }
}

/// A tenant: isolated accounts and settings inside of a project.
public struct Tenant: Sendable {
    /// The ID.
    public let tenantID: String
    /// The settings.
    public let settings: TenantSettings
}

extension Tenant: Decodable {
    private enum CodingKeys: String, CodingKey { case name }

    /// Reads the document of the server, whose `name` ends with the ID.
    public init(from decoder: any Decoder) throws {
        let name = try decoder.container(keyedBy: CodingKeys.self).decode(String.self, forKey: .name)
        tenantID = name.split(separator: "/").last.map(String.init) ?? ""
        settings = try TenantSettings(from: decoder)
    }
}
