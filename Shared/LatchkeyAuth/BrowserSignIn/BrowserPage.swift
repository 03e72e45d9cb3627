import Foundation

/// A page of the server, `/__/auth/handler`, that returns to the URL scheme of the application (REST 7.1).
struct BrowserPage: VisitedPage, Hashable {
    /// What the page is for.
    enum Purpose: Hashable, Sendable {
        /// Sign-in at an identity provider.
        case signIn(providerID: String, scopes: [String], customParameters: [String: String], sessionID: String)
        /// The check of the application before an SMS.
        case appVerification

        /// The parameter `authType` of the page and of its result.
        fileprivate var authType: String {
            switch self {
            case .signIn: "signInWithRedirect"
            case .appVerification: "verifyApp"
            }
        }

        /// The parameter of the result that has the value.
        fileprivate var resultName: String {
            switch self {
            case .signIn: "link"
            case .appVerification: "recaptchaToken"
            }
        }

        /// The code of an error that has no code of its own.
        fileprivate var interactionFailure: AuthErrorCode {
            switch self {
            case .signIn: .webSignInUserInteractionFailure
            case .appVerification: .appVerificationUserInteractionFailure
            }
        }
    }

    /// The longest result that is read, in bytes.
    static let maximumResultBytes = 64 << 10

    let purpose: Purpose
    /// Distinguishes the result of this page from those of others.
    let eventID: String
    let app: RegisteredApp
    let url: URL
    var callbackScheme: String { app.scheme }

    /// - Parameters:
    ///   - server: the URL of the public listener.
    ///   - eventID: 1 to 128 letters, digits, hyphens and underscores.
    init(
        _ purpose: Purpose, server: URL, apiKey: String, app: RegisteredApp, eventID: String, tenantID: String?,
        languageCode: String?
    ) throws(AuthErrorCode) {
        self.purpose = purpose
        self.eventID = eventID
        self.app = app
        var parameters: [(String, String?)] = [
            ("apiKey", apiKey), ("authType", purpose.authType), ("v", "Swift/LatchkeyAuth/1"), ("eventId", eventID),
            ("ibi", app.bundleID), ("clientId", app.clientID), ("appId", app.clientID == nil ? app.appID : nil),
            ("tid", tenantID), ("hl", languageCode),
        ]
        if case .signIn(let providerID, let scopes, let customParameters, let sessionID) = purpose {
            parameters += [
                ("providerId", providerID), ("scopes", scopes.isEmpty ? nil : scopes.joined(separator: ",")),
                ("customParameters", try Self.json(customParameters)),
                // Another application that receives the result does not know the session ID, and cannot sign in.
                ("sessionId", sha256(sessionID)),
            ]
        }
        let page = server.appendingPathComponent("__/auth/handler")
        guard var components = URLComponents(url: page, resolvingAgainstBaseURL: true) else {
            throw AuthErrorCode(.internalError)
        }
        components.percentEncodedQuery = FormBody.text(parameters)
        guard let url = components.url else { throw AuthErrorCode(.internalError) }
        self.url = url
    }

    private static func json(_ parameters: [String: String]) throws(AuthErrorCode) -> String? {
        guard !parameters.isEmpty else { return nil }
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        do {
            return String(decoding: try encoder.encode(parameters), as: UTF8.self)
        } catch {
            throw AuthErrorCode(.internalError)
        }
    }

    // MARK: - The result

    /// The parameters of `SCHEME://firebaseauth/link?deep_link_id=URL`, which are in the inner URL.
    /// - Returns: nil for a URL that is not the result of this page.
    func result(in url: URL) -> BrowserResult? {
        guard url.absoluteString.utf8.count <= Self.maximumResultBytes,
            let outer = URLComponents(url: url, resolvingAgainstBaseURL: false),
            outer.scheme?.lowercased() == app.scheme.lowercased(), outer.host == "firebaseauth", outer.path == "/link",
            let link = Self.value(of: "deep_link_id", in: outer), let inner = URLComponents(string: link),
            Self.value(of: "authType", in: inner) == purpose.authType,
            Self.value(of: "eventId", in: inner) == eventID
        else { return nil }
        if let failure = Self.value(of: "firebaseError", in: inner) {
            return .failure(Self.error(failure, otherwise: purpose.interactionFailure))
        }
        guard let value = Self.value(of: purpose.resultName, in: inner), !value.isEmpty else {
            return .failure(AuthErrorCode(purpose.interactionFailure))
        }
        return .value(value)
    }

    private static func value(of name: String, in components: URLComponents) -> String? {
        components.queryItems?.first { $0.name == name }?.value
    }

    /// - Parameter json: `{"code":"auth/…","message":"…"}`. The text is not used: it came through the browser.
    private static func error(_ json: String, otherwise: AuthErrorCode) -> AuthErrorCode {
        struct Failure: Decodable {
            var code: String
        }
        // `try?`: an unknown failure is still one.
        guard let code = (try? JSONDecoder().decode(Failure.self, from: Data(json.utf8)))?.code,
            code.utf8.count <= 64, code.utf8.allSatisfy({ (0x61...0x7a).contains($0) || "-/".utf8.contains($0) })
        else { return AuthErrorCode(otherwise) }
        let known: AuthErrorCode =
            switch code {
            case "auth/invalid-oauth-client-id": .invalidClientID
            case "auth/network-request-failed": .webNetworkRequestFailed
            case "auth/internal-error": .webInternalError
            default: otherwise
            }
        return AuthErrorCode(known, userInfo: [AuthErrorUserInfoServerCodeKey: code])
    }
}

/// What a page returned.
enum BrowserResult: Sendable {
    /// The response of the identity provider, or the token of the app verification.
    case value(String)
    case failure(AuthErrorCode)
}

/// The application as the project knows it. The server derives the URL scheme from its own record of it.
struct RegisteredApp: Hashable, Sendable {
    let bundleID: String
    let clientID: String?
    let appID: String?
    /// The reversed client ID; without one, `app-` and the app ID with hyphens.
    let scheme: String

    /// - Throws: `missingIosBundleID`; `missingClientIdentifier` without a client ID and an app ID.
    init(_ options: LatchkeyOptions, mainBundleID: String?) throws(AuthErrorCode) {
        guard let bundleID = options.bundleID ?? mainBundleID else { throw AuthErrorCode(.missingIosBundleID) }
        self.bundleID = bundleID
        clientID = options.clientID
        appID = options.appID
        if let clientID {
            scheme = clientID.split(separator: ".").reversed().joined(separator: ".")
        } else if let appID {
            scheme = "app-" + appID.split(separator: ":", omittingEmptySubsequences: false).joined(separator: "-")
        } else {
            throw AuthErrorCode(.missingClientIdentifier)
        }
    }
}
