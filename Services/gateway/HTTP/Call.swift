import Bus
import Contracts
import FoundationEssentials
import HTTPServer
import JSON
import Vocabulary

/// One request on its way through a route: the request and its authenticated caller.
struct Call: Sendable {
    let request: HTTPRequest
    let values: PathValues
    let caller: Caller
    let trace: TraceContext
    /// The client address, found behind the trusted proxies.
    let address: IPAddress
    let gateway: Gateway

    var settings: GatewaySettings { gateway.dependencies.settings }

    var isAdministrator: Bool {
        switch caller {
        case .administrator, .serviceAccount: true
        case .unauthenticated, .application: false
        }
    }

    /// Whether replies contain password hashes. The fixed tokens of dev mode may do everything.
    var readsPasswordHashes: Bool {
        switch caller {
        case .administrator: true
        case .serviceAccount(_, let permissions): permissions.contains(.readPasswordHashes)
        case .unauthenticated, .application: false
        }
    }

    /// Whether replies contain the secrets of providers. Who may only read gets `Secret.redacted` in their place.
    var readsSecrets: Bool {
        switch caller {
        case .administrator: true
        case .serviceAccount(_, let permissions): permissions.contains(.write)
        case .unauthenticated, .application: false
        }
    }

    /// For the audit log and the quotas of the services.
    var client: ClientContext {
        .init(
            ipAddress: address.description,
            userAgent: request.headers["user-agent"].map { String($0.prefix(Self.maximumUserAgentLength)) },
            deviceTokens: DeviceTokens.presented(in: request.headers, isDev: settings.isDev).map(Secret.init)
                .nilIfEmpty,
            locale: locale)
    }

    private static let maximumUserAgentLength = 256

    /// The language that a client requests (REST 1.7); nil for a malformed language tag (BCP 47). Android writes `_`.
    var locale: String? {
        request.headers["x-firebase-locale"].flatMap { text in
            let tag = text.utf8.map { $0 == UInt8(ascii: "_") ? UInt8(ascii: "-") : $0 }
            let isTag = (1...35).contains(tag.count) && tag.allSatisfy { $0.isASCIINameByte }
            return isTag ? String(decoding: tag, as: UTF8.self) : nil
        }
    }

    /// The bundle ID of an iOS application (REST 1.7); nil for a malformed one.
    var iOSBundleID: String? {
        request.headers["x-ios-bundle-identifier"].flatMap { text in
            let isBundleID =
                (1...155).contains(text.utf8.count)
                && text.utf8.allSatisfy { $0.isASCIINameByte || $0 == UInt8(ascii: ".") }
            return isBundleID ? text : nil
        }
    }

    /// The time for a request that can sign in. Blocking functions have their own time.
    static let signInTimeout = Duration.seconds(5) + Identity.blockingFunctionsTimeout

    /// Sends a request to a service.
    func send<Request: BusRequest>(
        _ request: Request, timeout time: Duration = .seconds(5)
    ) async throws -> Request.Reply {
        try await result(of: request, timeout: time).get()
    }

    /// As above; the result is counted.
    func send<Request: CountedRequest>(
        _ request: Request, timeout time: Duration = .seconds(5)
    ) async throws -> Request.Reply {
        let result = await result(of: request, timeout: time)
        gateway.dependencies.activity.count(request, result)
        return try result.get()
    }

    /// Sends a request to a service and measures the round trip.
    private func result<Request: BusRequest>(
        of request: Request, timeout time: Duration
    ) async -> Result<Request.Reply, ServiceError> {
        let began = gateway.dependencies.now()
        let result: Result<Request.Reply, ServiceError>
        do throws(ServiceError) {
            result = .success(try await gateway.dependencies.bus.send(request, trace: trace, timeout: time))
        } catch {
            result = .failure(error)
        }
        gateway.dependencies.metrics.countRoundTrip(
            to: Request.Operation.service, gateway.dependencies.now() - began)
        return result
    }

    /// The body as a JSON object of this shape (see `RequestBody`).
    func body<Body: Decodable>(_ type: Body.Type) throws -> Body {
        try RequestBody.json(type, from: request)
    }

    /// The body of an administrator: unknown fields are refused (see `RequestBody`).
    func administratorBody<Body: Decodable>(_ type: Body.Type) throws -> Body {
        try RequestBody.administratorJSON(type, from: request)
    }

    /// The project: from the path, else the one an administrator names in the body, else the caller's own.
    /// - Throws: `INSUFFICIENT_PERMISSION` when a client names one, `PERMISSION_DENIED` when a service account names
    ///   another than its own, `INVALID_PROJECT_ID`.
    func project(target: String? = nil) throws -> ProjectID {
        if target.nilIfEmpty != nil && !isAdministrator { throw APIError.adminOnlyField("target_project_id") }
        let named = values[.project] ?? target.nilIfEmpty
        switch (named, caller) {
        case (let named, .serviceAccount(let own, _)):
            guard named == nil || named == own.rawValue else { throw APIError.permissionDenied }
            return own
        case (let named?, _):
            guard Realm.isIdentifier(named) else { throw APIError(.invalidProjectID) }
            return ProjectID(named)
        case (nil, .application(let project)): return project
        case (nil, .administrator(let own?)): return own
        case (nil, .administrator(nil)), (nil, .unauthenticated): throw APIError(.invalidProjectID)
        }
    }

    /// The project whose key or token the caller has; nil for one who only names a project, which need not exist.
    var provenProject: ProjectID? {
        switch caller {
        case .unauthenticated: nil
        case .application(let own), .serviceAccount(let own, _): own
        // In dev mode, where an administrator has every project.
        case .administrator: try? project()
        }
    }
}

/// The authenticated caller.
enum Caller: Equatable, Sendable {
    case unauthenticated
    case application(ProjectID)
    /// With the default project when neither path nor body names one.
    case administrator(ProjectID?)
    /// Administers only its own project.
    case serviceAccount(ProjectID, [Identity.AdminPermission])
}

extension HTTPResponse {
    /// Members have their declared order: equal errors have equal bytes (security rule EN1).
    static func json(_ value: some Encodable, status: Int = 200) -> HTTPResponse {
        // `try?`: the responses hold no value that JSON cannot encode.
        guard let body = try? WireJSON.encode(value) else {
            preconditionFailure("an answer that is not JSON: \(type(of: value))")
        }
        return .init(status: status, headers: [("Content-Type", "application/json; charset=UTF-8")], body: body)
    }

    /// Allows public caching.
    func cached(seconds: Int) -> HTTPResponse {
        var response = self
        response.headers.append(("Cache-Control", "public, max-age=\(max(0, seconds)), must-revalidate"))
        return response
    }
}
