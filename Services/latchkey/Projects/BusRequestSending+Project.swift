import Bus
import Contracts
import Vocabulary

extension BusRequestSending {
    /// - Returns: nil without such a project.
    func project(_ id: ProjectID) async throws -> Identity.ProjectSummary? {
        var after: ProjectID?
        repeat {
            let page = try await send(
                Identity.ListProjects(after: after, limit: Identity.ListProjects.maximumCount), .ofOperator())
            if let project = page.projects.first(where: { $0.id == id }) { return project }
            after = page.hasMore ? page.projects.last?.id : nil
        } while after != nil
        return nil
    }
}
