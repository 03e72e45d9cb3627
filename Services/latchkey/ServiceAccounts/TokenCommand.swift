import CommandLineArguments
import Crypto
import FoundationEssentials
import Glibc
import HTTPClient
import JOSE
import JSON
import ServiceAccountFile
import ServiceRuntime
import Vocabulary

/// `latchkey token FILE`.
///
/// It needs no data directory and no bus, so it also runs on the machine of a backend.
struct TokenCommand: Command {
    private static let file = Operand("FILE", completion: .file, "JSON key file of a service account")
    private static let readOnly = CommandOption("read-only", "a token that changes nothing")
    private static let ca = CommandOption(
        "ca", value: "FILE", completion: .file,
        "PEM file of the certificates that are trusted (default: SSL_CERT_FILE, or those of the system)")

    static let declaration = CommandDeclaration(
        "token", "print an access token for the admin API, from the key file of a service account",
        discussion: """
            The token is valid for an hour. It is the bearer token of the admin listener: \
            curl -H "Authorization: Bearer $(latchkey token FILE)" ... The request goes to token_uri of the file.
            """, operands: [file], options: [readOnly, ca, .json], readsSettings: false)

    private let credentials: ServiceAccountCredentials
    private let scope: String
    private let caFilePath: String?
    private let output: CommandOutput

    /// - Throws: `LauncherError` if the file is unusable.
    init(_ arguments: ParsedArguments, _ environment: Environment) throws {
        do throws(ServiceAccountFileError) {
            credentials = try ServiceAccountCredentials(path: arguments[Self.file])
        } catch {
            throw LauncherError.file(
                error.path, problem: error.problem, remedy: "Name the JSON key file of a service account")
        }
        caFilePath = arguments.value(Self.ca)
        scope = arguments.has(Self.readOnly) ? "firebase.readonly" : "identitytoolkit"
        output = CommandOutput(arguments)
    }

    func run() async throws {
        if let caFilePath, access(caFilePath, R_OK) != 0 {
            throw LauncherError.file(
                caFilePath, problem: "cannot be read: \(String(cString: strerror(errno)))",
                remedy: "Name the PEM file of the certificate authority")
        }
        let token = try await token(over: HTTPClient(caFilePath: caFilePath), at: WallClock.now().timestamp)
        try output.show(token, token.accessToken)
    }

    /// Exchanges a signed assertion for a token (RFC 7523 §2.1).
    /// - Throws: `TokenCommandError`.
    func token(over client: HTTPClient, at now: Timestamp) async throws -> Token {
        let form =
            "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion=\(try assertion(at: now))"
        let response: HTTPClientResponse
        do throws(HTTPClientError) {
            response = try await client.send(
                HTTPClientRequest(
                    .post, credentials.tokenURL,
                    headers: [("Content-Type", "application/x-www-form-urlencoded")], body: Data(form.utf8)))
        } catch .tls(let reason) {
            throw TokenCommandError.untrusted(credentials.tokenURL, reason)
        } catch {
            throw TokenCommandError.unreachable(credentials.tokenURL, "\(error)")
        }
        // `try?`: any other response is no response of a token endpoint.
        if response.status == 200, let token = try? WireJSON.decode(Token.self, from: response.body) { return token }
        let refusal = try? WireJSON.decode(Refusal.self, from: response.body)
        throw TokenCommandError.refused(
            credentials.tokenURL, status: response.status, [refusal?.error, refusal?.description].compactMap(\.self))
    }

    /// - Throws: `CryptoError`.
    func assertion(at now: Timestamp) throws -> String {
        let lifetimeSeconds: Int64 = 3600
        let claims: [String: JSONValue] = [
            "iss": .string(credentials.email), "sub": .string(credentials.email), "aud": .string(credentials.tokenURL),
            "scope": .string("https://www.googleapis.com/auth/\(scope)"), "iat": .integer(now.seconds),
            "exp": .integer((now + lifetimeSeconds).seconds), "jti": .string(Base64URL.encode(Random.bytes(16))),
        ]
        return try JWT.sign(
            claims: try WireJSON.encode(claims), keyID: credentials.keyID, with: credentials.privateKey)
    }

    /// The response of the token endpoint, and the output with `--json`.
    struct Token: Codable, Equatable {
        var accessToken: String
        var expiresInSeconds: Int

        enum CodingKeys: String, CodingKey {
            case accessToken = "access_token", expiresInSeconds = "expires_in"
        }
    }

    private struct Refusal: Decodable {
        var error: String?
        var description: String?

        enum CodingKeys: String, CodingKey { case error, description = "error_description" }
    }
}

/// Why there is no token.
enum TokenCommandError: ExitError, Equatable {
    case unreachable(String, String)
    /// The certificate of the server, with the message of the library.
    case untrusted(String, String)
    case refused(String, status: Int, [String])

    var messages: [String] {
        switch self {
        case .unreachable(let url, let reason):
            [
                "\(UsageError.quoted(url)) cannot be reached (\(reason)). It is token_uri of the key file: the admin "
                    + "listener."
            ]
        case .untrusted(let url, let reason):
            [
                "The certificate of \(UsageError.quoted(url)) is not accepted: "
                    + "\(LogEscaping.escaped(reason, maximumBytes: 300, betweenQuotes: false)). If a private CA has "
                    + "issued it, name the certificate of the CA with --ca FILE or SSL_CERT_FILE."
            ]
        case .refused(let url, let status, let reasons):
            [
                "\(UsageError.quoted(url)) refused the key with status \(status)"
                    + reasons.map { ": " + LogEscaping.escaped($0, maximumBytes: 300, betweenQuotes: false) }.joined()
                    + ". `latchkey service-account list` prints the registered keys."
            ]
        }
    }
}
