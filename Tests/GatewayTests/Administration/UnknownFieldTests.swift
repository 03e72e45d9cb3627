import Contracts
import FoundationEssentials
import HTTPServer
import JSON
import TestSupport
import Testing
import Vocabulary

@testable import GatewayService

/// Administrators' bodies of v1: an unknown field is refused by name, as in production (REST 1.4). Those of v2 have schemas.
@Suite struct UnknownFieldTests {
    /// The paths with bodies, and a body that has every place of a field.
    private static let bodies: [(path: String, body: String)] = [
        ("/accounts", #"{"email":"a@example.com","mfaInfo":[{"phoneInfo":"+12025550101"}]}"#),
        (
            "/accounts:update",
            #"{"localId":"a","linkProviderUserInfo":{"providerId":"p","rawId":"r"},"mfa":{"enrollments":[{"phoneInfo":"+12025550101"}]}}"#
        ),
        ("/accounts:lookup", #"{"localId":["a"],"federatedUserId":[{"providerId":"p","rawId":"r"}]}"#),
        ("/accounts:delete", #"{"localId":"a"}"#), ("/accounts:batchDelete", #"{"localIds":["a"],"force":true}"#),
        ("/accounts:query", #"{"expression":[{"email":"a@example.com"}]}"#),
        (
            "/accounts:batchCreate",
            #"{"users":[{"localId":"a","providerUserInfo":[{"providerId":"p","rawId":"r"}],"mfaInfo":[{"phoneInfo":"+12025550101"}]}],"hashAlgorithm":"ARGON2","argon2Parameters":{"hashLengthBytes":32,"hashType":"ARGON2_ID","parallelism":1,"iterations":1,"memoryCostKib":64}}"#
        ),
        ("/accounts:sendOobCode", #"{"requestType":"PASSWORD_RESET","email":"a@example.com"}"#),
        (":createSessionCookie", #"{"idToken":"t","validDuration":3600}"#),
    ]

    /// Each object of each body gets an unknown member.
    @Test(arguments: bodies.indices) func unknownFieldIsNamedAtItsPlace(index: Int) async throws {
        let (path, body) = Self.bodies[index]
        let document = try json(body)
        var places: [[PathStep]] = []
        Self.collectObjects(in: document, at: [], &places)
        #expect(!places.isEmpty)
        for place in places {
            for name in ["colour", "e_mail_", "displayname"] {
                let harness = try GatewayHarness()
                let changed = Self.adding(name, at: place[...], to: document)
                let text = String(decoding: try WireJSON.encode(changed), as: UTF8.self)
                let response = try await harness.admin(.post, path, text)
                let shown = Self.text(of: place)
                let message =
                    "Invalid JSON payload received. Unknown name \"\(name)\""
                    + (shown.isEmpty ? "" : " at '\(shown)'") + ": Cannot find field."
                #expect((response.status, response.message) == (400, message), "\(path) \(shown)")
                #expect(response.error?["status"] == .string("INVALID_ARGUMENT"))
                #expect(harness.mesh.count == 0)
            }
        }
    }

    /// What the libraries and the Firebase CLI send is declared, also where it has no effect.
    @Test(arguments: [
        (
            "/accounts:update",
            #"{"localId":"a","returnSecureToken":true,"delegatedProjectNumber":"1","captchaResponse":"x"}"#
        ),
        ("/accounts:update", #"{"localId":"a","target_project_id":"demo-latchkey","custom_attributes":"{}"}"#),
        (
            "/accounts:update",
            #"{"localId":"a","linkProviderUserInfo":{"providerId":"p","rawId":"r","phoneNumber":"+12025550101"}}"#
        ),
        (
            "/accounts:update",
            #"{"localId":"a","mfa":{"enrollments":[{"phoneInfo":"+12025550101","unobfuscatedPhoneInfo":"+12025550101"}]}}"#
        ),
        (
            "/accounts:sendOobCode",
            #"{"requestType":"PASSWORD_RESET","email":"a@example.com","captchaResp":"x","userIp":"192.0.2.1","clientType":1}"#
        ),
        ("/accounts", #"{"email":"a@example.com","returnSecureToken":true,"tenantId":"","instanceId":"x"}"#),
        ("/accounts", #"{"email":"a@example.com","disabled":null,"mfaInfo":null}"#),
    ]) func fieldsOfTheProtocolAreAccepted(path: String, body: String) async throws {
        let harness = try GatewayHarness()
        harness.mesh.reply(to: Identity.UpdateAccount.self) { _ in .init(account: .example()) }
        harness.mesh.reply(to: Identity.CreateAccount.self) { _ in .init(account: .example()) }
        harness.mesh.reply(to: Identity.SendActionCode.self) { _ in throw ServiceError(.quotaExceeded) }
        let response = try await harness.admin(.post, path, body)
        if path == "/accounts:sendOobCode" {
            #expect(response.message == "QUOTA_EXCEEDED")
            return
        }
        #expect(response.status == 200, "\(response.message ?? "")")
    }

    /// A listed account can be imported as it is.
    @Test func listedAccountCanBeImported() async throws {
        let harness = try GatewayHarness()
        harness.mesh.reply(to: Identity.ImportAccounts.self) { _ in .init(rejections: []) }
        var account = Account.example()
        account.hasPassword = false
        account.providers = [ProviderLink(providerID: "google.com", providerAccountID: "g")]
        account.phoneNumber = PhoneNumber("+12025550101")
        account.secondFactors = [
            SecondFactor(
                id: FactorID("f"), kind: .phone(try #require(PhoneNumber("+12025550102"))), displayName: "x",
                enrolledAt: Moment(milliseconds: 1)),
            SecondFactor(id: FactorID("t"), kind: .totp, displayName: nil, enrolledAt: Moment(milliseconds: 1)),
        ]
        let text = String(decoding: try WireJSON.encode(UserRecord(account)), as: UTF8.self)
        let response = try await harness.admin(.post, "/accounts:batchCreate", #"{"users":[\#(text)]}"#)
        #expect(response.status == 200, "\(response.message ?? "")")
    }

    /// Client libraries add fields over time.
    @Test func unknownFieldOfClientIsIgnored() async throws {
        let harness = try GatewayHarness()
        harness.mesh.reply(to: Identity.SignUp.self) { _ in throw ServiceError(.adminOnlyOperation) }
        let response = try await harness.client("v1/accounts:signUp", #"{"colour":"red"}"#)
        #expect(response.message == "ADMIN_ONLY_OPERATION")
    }

    /// The same path with an administrator's token.
    @Test(arguments: [
        ("signUp", #""a""#), ("update", #""a""#), ("lookup", #"["a"]"#), ("delete", #""a""#), ("sendOobCode", "null"),
    ]) func administratorOnClientPathIsChecked(operation: String, accountID: String) async throws {
        let response = try await GatewayHarness().send(
            .post, "/identitytoolkit.googleapis.com/v1/accounts:\(operation)",
            headers: ["Authorization": "Bearer owner"],
            body: #"{"localId":\#(accountID),"colour":"red","requestType":"PASSWORD_RESET"}"#)
        #expect(response.status == 400)
        #expect(response.message?.hasPrefix("Invalid JSON payload received. Unknown name") == true)
    }

    // MARK: Places

    private enum PathStep: Equatable {
        case name(String)
        case index(Int)
    }

    private static func collectObjects(in value: JSONValue, at place: [PathStep], _ places: inout [[PathStep]]) {
        switch value {
        case .object(let members):
            places.append(place)
            for (name, member) in members { collectObjects(in: member, at: place + [.name(name)], &places) }
        case .array(let elements):
            for (index, element) in elements.enumerated() {
                collectObjects(in: element, at: place + [.index(index)], &places)
            }
        case .null, .bool, .integer, .number, .string: break
        }
    }

    private static func adding(_ name: String, at place: ArraySlice<PathStep>, to value: JSONValue) -> JSONValue {
        switch (place.first, value) {
        case (nil, .object(var members)):
            members[name] = .object(["x": .integer(1)])
            return .object(members)
        case (.name(let step), .object(var members)):
            members[step] = members[step].map { adding(name, at: place.dropFirst(), to: $0) }
            return .object(members)
        case (.index(let index), .array(var elements)):
            elements[index] = adding(name, at: place.dropFirst(), to: elements[index])
            return .array(elements)
        default: return value
        }
    }

    private static func text(of place: [PathStep]) -> String {
        place.reduce(into: "") { text, step in
            switch step {
            case .name(let name): text += (text.isEmpty ? "" : ".") + name
            case .index(let index): text += "[\(index)]"
            }
        }
    }
}
