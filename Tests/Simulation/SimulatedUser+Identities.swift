// Parts of services are no interfaces: a release build has them only for tests.
#if DEBUG || TESTABLE

    import Contracts
    import JSON
    import TestSupport
    import Vocabulary

    /// What a client does with identities of providers. Every user of a realm may have each of them; the word of a provider is a
    /// token without signature, as in dev mode.
    extension SimulatedUser {
        private typealias Identity = AccountJudge.Identity

        private var otherAccounts: [AccountJudge.Account] {
            scenario.users.filter { $0 !== self && $0.realm == realm }.map(\.account)
        }

        private func present(
            _ place: Int, idToken: String? = nil, in realm: Realm? = nil
        ) async -> (Answer, Span) {
            let identity = Identity.all[place]
            var members = [
                "requestUri": "http://localhost",
                "postBody": "providerId=\(identity.provider)&id_token={\"sub\":\"\(identity.subject)\"}",
            ]
            members["idToken"] = idToken
            return await toolkit(":signInWithIdp", members, ["autoCreate": .bool(false)], in: realm)
        }

        /// An identity that the account may have, or another one.
        private func knownIdentity() -> Int {
            let possible = Identity.all.indices.filter { account.isLinked[$0].mayBe(true, from: now, to: now) }
            return (chance(75) ? pick(possible) : nil) ?? world.random.index(below: Identity.all.count)
        }

        // MARK: Links

        func link() async {
            guard let session = pick(sessions) else { return }
            let (idToken, idTokenEnded) = (session.idToken, session.idTokenEnded)
            let place = world.random.index(below: Identity.all.count)
            let change = account.beginLink(place, at: now)
            let (answer, span) = await present(place, idToken: idToken)
            account.endChange(change, answer.outcome, at: now)
            switch answer {
            case .accepted(let reply):
                judge.linkIsAccepted(
                    account, place, besides: otherAccounts, by: session.idTokenEnded == idTokenEnded ? session : nil,
                    span)
                // An identity that was linked before is a first factor again.
                guard reply["mfaPendingCredential"] == nil else { return }
                _ = keep(reply, began: session.began, nil)
            case .refused(let message):
                judge.linkIsRefused(account, place, besides: otherAccounts, message, span)
            case .uncertain: break
            }
        }

        func unlink() async {
            guard let session = pick(sessions) else { return }
            let (idToken, idTokenEnded) = (session.idToken, session.idTokenEnded)
            let provider = Identity.all[knownIdentity()].provider
            let change = account.beginUnlink(provider, at: now)
            let (answer, span) = await toolkit(
                ":update", ["idToken": idToken], ["deleteProvider": .array([.string(provider)])])
            account.endChange(change, answer.outcome, at: now)
            guard case .accepted(let reply) = answer else { return }
            if session.idTokenEnded == idTokenEnded { judge.idTokenIsAccepted(account, session, span) }
            _ = keep(reply, began: session.began, nil)
        }

        // MARK: Sign-in

        func signInByIdentity() async {
            guard let pending = await signIn(byIdentity: knownIdentity()), let secret = pick(secrets) else { return }
            await complete(pending, secret, nextStep(of: secret))
        }

        /// - Returns: what waits for the second factor of the own account.
        private func signIn(byIdentity place: Int) async -> Pending? {
            let (answer, span) = await present(place)
            switch answer {
            case .uncertain: return nil
            case .refused(let message):
                judge.identityIsRefused(account, place, message, span)
                return nil
            case .accepted(let reply):
                // It may be linked to the account of another user.
                guard let owner = scenario.user(of: reply["localId"]?.text ?? "-") else {
                    world.report("an identity signs in to an account of nobody")
                    return nil
                }
                judge.identityIsAccepted(owner.account, place, span)
                guard owner.realm == realm else {
                    world.report("an identity of \(name) signs in to another realm")
                    return nil
                }
                guard let credential = reply["mfaPendingCredential"]?.text else {
                    judge.sessionIsOpened(owner.account, span)
                    if owner === self { _ = keep(reply, began: span.began, nil) }
                    return nil
                }
                var pending = Pending(credential: credential, password: nil, began: span.began, ended: span.ended)
                if case .array(let factors)? = reply["mfaInfo"] { pending.read(factors, of: owner.account) }
                judge.secondFactorIsDemanded(owner.account, pending, span)
                return owner === self ? pending : nil
            }
        }

        /// In another realm it has another account, or none.
        func presentIdentity(in other: Realm) async {
            let place = knownIdentity()
            if case .accepted(let reply) = await present(place, in: other).0,
                scenario.user(of: reply["localId"]?.text ?? "-")?.realm != other
            {
                world.report("an identity of \(name) is accepted in another realm")
            }
        }

        // MARK: End

        /// After the faults: each identity that is linked signs in, and no other one.
        func requireIdentities(_ session: Session) async {
            guard let (reply, span) = await lookUpAtEnd(session) else { return }
            let linked = identities(of: reply)
            judge.identitiesAreListed(account, linked, span)
            for place in Identity.all.indices {
                let isAccepted: Bool =
                    switch await present(place).0 {
                    case .accepted(let reply): reply["localId"]?.text == id
                    case .refused, .uncertain: false
                    }
                if isAccepted != linked.contains(place) {
                    world.report(
                        "\(name) is \(isAccepted ? "accepted" : "refused") with the identity \(place) after the faults")
                }
            }
        }

        /// The places of the identities that a reply lists.
        func identities(of reply: JSONValue) -> [Int] {
            guard case .array(let users)? = reply["users"],
                case .array(let entries)? = users.first?["providerUserInfo"]
            else { return [] }
            return Identity.all.indices.filter { place in
                entries.contains {
                    $0["providerId"]?.text == Identity.all[place].provider
                        && $0["rawId"]?.text == Identity.all[place].subject
                }
            }
        }
    }

#endif
